// Tells somebody who waits how far a long piece of work has come: how much is done, how fast, how much is left. Only on a
// terminal, and only while it lasts.

import { type Clock, systemClock } from '../../clock.ts';
import type { Terminal } from '../command.ts';
import { span } from './times.ts';

type Listener = Pick<Terminal, 'progress'>;

/** What the work calls when it has come further; the total is left out where nobody knows it. */
export type Tell = (what: string, done: number, total?: number) => void;

const everyMs = 1000;

/** Shows nothing in the first second, and a line that changes every second afterwards. */
export async function withProgress<Result>(
  terminal: Listener,
  work: (tell: Tell) => Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  let now: Come | undefined;
  let isShown = false;
  const show = (): void => {
    if (now !== undefined) {
      terminal.progress(inWords(now, clock.now()), 'passing');
      isShown = true;
    }
    callOff = clock.after(everyMs, show);
  };
  let callOff = clock.after(everyMs, show);
  try {
    return await work((what, done, total) => {
      const since = now?.what === what ? now.since : clock.now();
      now = { what, done, total, since };
    });
  } finally {
    callOff();
    if (isShown) terminal.progress('', 'passing');
  }
}

interface Come {
  readonly what: string;
  readonly done: number;
  readonly total: number | undefined;
  /** When it was first told of. */
  readonly since: number;
}

/** Such as "requeued: 1,200 of 5,000 · 400/s · 10 s left". */
function inWords({ what, done, total, since }: Come, at: number): string {
  const perSecond = done / Math.max((at - since) / 1000, 0.001);
  const count = done.toLocaleString('en');
  const isMeasured = done > 0 && at > since;
  const left = total === undefined ? undefined : total - done;
  return [
    `${what}: ${count}${total === undefined ? '' : ` of ${total.toLocaleString('en')}`}`,
    ...(isMeasured ? [`${rate(perSecond)}/s`] : []),
    ...(isMeasured && left !== undefined && left > 0
      ? [`${span((left / perSecond) * 1000)} left`]
      : []),
  ].join(' · ');
}

function rate(perSecond: number): string {
  return perSecond >= 10
    ? Math.round(perSecond).toLocaleString('en')
    : String(Number(perSecond.toPrecision(2)));
}
