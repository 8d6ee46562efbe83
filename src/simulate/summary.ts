// What a simulation says: when everything is out, what held it up, and how deep the queue was.

import type { SimulatedDelivery } from './delivery.ts';
import type { LimitUse } from './limits.ts';
import type { RunResult } from './run.ts';

/** The queue at one moment. */
export interface Point {
  readonly at: number;
  /** Deliveries that have come in and are neither sent nor failed. */
  readonly waiting: number;
  /** Deliveries that are out. */
  readonly sent: number;
}

export interface Summary {
  readonly beganAt: number;
  /** When the last delivery was sent; null when none was. */
  readonly lastSentAt: number | null;
  /** From the first post to the last sent delivery. */
  readonly makespanMs: number;
  readonly posts: { readonly given: number; readonly rejected: number };
  readonly deliveries: {
    readonly made: number;
    readonly sent: number;
    readonly failed: number;
    readonly dead: number;
    /** Not out when the simulation ended. */
    readonly waiting: number;
    readonly deduped: number;
    readonly refused: number;
  };
  readonly attempts: number;
  /** From a post's arrival to the end of its delivery, for those that were sent. */
  readonly waitMs: { readonly median: number; readonly p95: number; readonly longest: number };
  readonly deepest: Point;
  /** The channel whose delivery is out last. */
  readonly lastChannel: string | null;
  /** What that channel waited for most: with another value of it, everything would be out at another time. */
  readonly bottleneck: LimitUse | null;
  /** What all channels waited for, the longest first. */
  readonly limits: readonly LimitUse[];
  readonly series: readonly Point[];
}

const points = 240;

export function summaryOf(result: RunResult): Summary {
  const { deliveries, verdicts, beganAt, limits } = result;
  const sent = deliveries.filter((each) => each.status === 'sent');
  const last = latest(sent);
  const lastSentAt = last?.sentAt ?? null;
  const series = seriesOf(deliveries, beganAt);
  const count = (status: SimulatedDelivery['status']): number =>
    deliveries.filter((each) => each.status === status).length;
  const judged = verdicts.flatMap((each) => (each.ok ? each.channels : []));
  const stuck = deliveries.find((each) => each.status === 'waiting')?.channelId;
  const critical = stuck ?? last?.channelId ?? null;
  return {
    beganAt,
    lastSentAt,
    makespanMs: lastSentAt === null ? 0 : lastSentAt - beganAt,
    posts: { given: verdicts.length, rejected: verdicts.filter((each) => !each.ok).length },
    deliveries: {
      made: deliveries.length,
      sent: sent.length,
      failed: count('failed_permanent'),
      dead: count('dead'),
      waiting: count('waiting'),
      deduped: judged.filter((each) => each.verdict === 'deduped').length,
      refused: judged.filter((each) => each.verdict === 'validation_failed').length,
    },
    attempts: deliveries.reduce((sum, each) => sum + each.attempts, 0),
    waitMs: waitsOf(sent),
    deepest: deepestOf(deliveries, beganAt),
    lastChannel: critical,
    bottleneck: critical === null ? null : (limits.uses(critical)[0] ?? null),
    limits: limits.uses(),
    series,
  };
}

function latest(sent: readonly SimulatedDelivery[]): SimulatedDelivery | undefined {
  return sent.reduce<SimulatedDelivery | undefined>(
    (last, each) => ((each.sentAt ?? 0) > (last?.sentAt ?? 0) ? each : last),
    undefined,
  );
}

function waitsOf(sent: readonly SimulatedDelivery[]): Summary['waitMs'] {
  const waits = sent
    .map(({ sentAt = 0, arrivedAt }) => sentAt - arrivedAt)
    .toSorted((a, b) => a - b);
  const at = (share: number): number => waits[Math.ceil(share * waits.length) - 1] ?? 0;
  return { median: at(0.5), p95: at(0.95), longest: at(1) };
}

/** Arrivals and ends in order of time; of the same time, arrivals first. */
function changesOf(deliveries: readonly SimulatedDelivery[]) {
  return deliveries
    .flatMap(({ arrivedAt, sentAt, failedAt }) => {
      const end = sentAt ?? failedAt;
      const isSent = sentAt !== undefined ? 1 : 0;
      const came = { at: arrivedAt, by: 1, sent: 0 };
      return end === undefined ? [came] : [came, { at: end, by: -1, sent: isSent }];
    })
    .toSorted((a, b) => a.at - b.at || b.by - a.by);
}

function deepestOf(deliveries: readonly SimulatedDelivery[], beganAt: number): Point {
  let deepest: Point = { at: beganAt, waiting: 0, sent: 0 };
  let waiting = 0;
  let sent = 0;
  for (const change of changesOf(deliveries)) {
    waiting += change.by;
    sent += change.sent;
    if (waiting > deepest.waiting) deepest = { at: change.at, waiting, sent };
  }
  return deepest;
}

/** The queue at moments that lie equally far apart. */
function seriesOf(deliveries: readonly SimulatedDelivery[], beganAt: number): Point[] {
  const changes = changesOf(deliveries);
  const end = changes.at(-1)?.at ?? beganAt;
  const series: Point[] = [];
  let waiting = 0;
  let sent = 0;
  let n = 0;
  for (let point = 0; point <= points; point += 1) {
    const at = beganAt + ((end - beganAt) * point) / points;
    for (let next = changes[n]; next !== undefined && next.at <= at; next = changes[n]) {
      waiting += next.by;
      sent += next.sent;
      n += 1;
    }
    series.push({ at: Math.round(at), waiting, sent });
  }
  return series;
}
