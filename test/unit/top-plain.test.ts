import { describe, expect, it } from 'vitest';
import { printLooks } from '../../src/cli/top/plain.ts';
import { summaryOf } from '../../src/cli/top/summary.ts';
import type { ShownActivity } from '../../src/db/activity-rows.ts';
import { DatabaseAwayError, DatabaseFaultError } from '../../src/errors.ts';
import { activityWith, busyActivity } from '../support/cli/activities.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function look(read: (turn: number) => ShownActivity, { isJson = false, isOnce = false } = {}) {
  const clock = createManualClock();
  const terminal = recordingTerminal({ isTty: false });
  const { promise: gone, resolve: goAway } = Promise.withResolvers<void>();
  let turns = 0;
  const over = printLooks(terminal, {
    clock,
    everyMs: 2000,
    isOnce,
    isJson,
    gone,
    async read() {
      turns += 1;
      return read(turns);
    },
  });
  return { clock, terminal, over, goAway };
}

describe('the view in lines', () => {
  it('has all that matters in one line, and what has changed since the line before', () => {
    const before = busyActivity({ queue: { ...busyActivity().queue, due: 1200 } });
    expect(summaryOf(busyActivity({ at_least: ['scheduled'] }), before)).toBe(
      '2026-03-02T10:00:00Z city: 1204 due ▲4, 33+ scheduled, 5 retrying, 2 claimed, 1 sending | ' +
        '84 sent in 60 s, 2 retried, 1 deduped | 1 open, 1 paused | 1 alert (1 critical) | ' +
        'last error 20 s ago in pets: 403: Forbidden: bot was kicked',
    );
    expect(summaryOf(activityWith({ status: 'paused' }), undefined)).toBe(
      '2026-03-02T10:00:00Z city (paused): 0 due, 0 scheduled, 0 retrying, 0 claimed, 0 sending | 0 sent in 60 s',
    );
  });

  it('comes once per interval, until nobody reads any more', async () => {
    const { clock, terminal, over, goAway } = look(() => activityWith());
    await settle();
    clock.advance(2000);
    await settle();
    expect(terminal.printed().trim().split('\n')).toHaveLength(2);
    goAway();
    await over;
    expect(clock.waiting()).toBe(0);
  });

  it('says that the database is away, and goes on', async () => {
    const { clock, terminal, over, goAway } = look((turn) => {
      if (turn === 1) throw new DatabaseAwayError('the database cannot be reached');
      return activityWith();
    });
    await settle();
    clock.advance(2000);
    await settle();
    expect(terminal.printedErrors()).toBe('the database cannot be reached; it is asked again\n');
    expect(terminal.printed()).toContain('city: 0 due');
    goAway();
    await over;
  });

  it('is a JSON document in each line, also for what went wrong', async () => {
    const { clock, terminal, over, goAway } = look(
      (turn) => {
        if (turn === 1) throw new DatabaseAwayError('gone');
        return activityWith();
      },
      { isJson: true },
    );
    await settle();
    clock.advance(2000);
    await settle();
    const documents = terminal
      .printed()
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(documents).toMatchObject([
      { error: { code: 'database_away', message: 'gone' } },
      { workspace_id: 'city', queue: { due: 0 } },
    ]);
    goAway();
    await over;
  });

  it('ends with its error when it is asked for once, and with any that no later look would mend', async () => {
    const away = look(
      () => {
        throw new DatabaseAwayError('gone');
      },
      { isOnce: true },
    );
    await expect(away.over).rejects.toThrow('gone');
    const broken = look(() => {
      throw new DatabaseFaultError('another shape');
    });
    await expect(broken.over).rejects.toThrow('another shape');
  });
});
