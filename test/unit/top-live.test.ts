import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../src/cli/command.ts';
import { type LiveMeans, watchLive } from '../../src/cli/top/live.ts';
import type { Screen } from '../../src/cli/top/screen.ts';
import type { ShownActivity } from '../../src/db/activity-rows.ts';
import { DatabaseAwayError, DatabaseFaultError } from '../../src/errors.ts';
import { activityWith, busyActivity } from '../support/cli/activities.ts';
import { createSmallTerminal } from '../support/cli/small-terminal.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

/** Lets what is under way come to its next wait. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A screen at the end of a line. The line takes everything at once, or nothing until the test says so. */
function createLine({ columns = 80, rows = 24 } = {}) {
  const terminal = createSmallTerminal(columns, rows, () => 1);
  const writes: string[] = [];
  let isSlow = false;
  let drain = (): void => undefined;
  let type = (_text: string): void => undefined;
  let size = { columns, rows };
  let resized = (): void => undefined;
  const screen: Screen = {
    size: () => size,
    async write(text) {
      writes.push(text);
      if (size.columns === columns) terminal.write(text);
      if (isSlow) await new Promise<void>((resolve) => void (drain = resolve));
    },
    onText: (take) => void (type = take),
    onResize: (take) => void (resized = take),
    suspend: async () => undefined,
    close: async () => undefined,
  };
  return {
    screen,
    writes,
    shown: () => terminal.lines().join('\n'),
    type: (text: string) => type(text),
    slow: () => void (isSlow = true),
    async drain() {
      drain();
      await settle();
    },
    resize(to: typeof size) {
      size = to;
      resized();
    },
  };
}

function watch(read: (turn: number) => ShownActivity | Promise<ShownActivity>) {
  const line = createLine();
  const clock = createManualClock();
  let reads = 0;
  const means: LiveMeans = {
    screen: line.screen,
    clock,
    everyMs: 2000,
    filter: '',
    hasColours: true,
    async read() {
      reads += 1;
      return { activity: await read(reads), deliveries: undefined };
    },
    explain: async (about) => [{ text: `explained: ${about.kind}` }],
  };
  const over = watchLive(means);
  over.catch(() => undefined);
  return { ...line, clock, over, reads: () => reads };
}

const withDue = (due: number): ShownActivity =>
  busyActivity({ queue: { ...busyActivity().queue, due } });

describe('the live view', () => {
  it('looks once per interval and writes each frame in one piece', async () => {
    const view = watch((turn) => withDue(100 + turn));
    await settle();
    expect(view.shown()).toContain('101 due');
    const before = view.writes.length;
    view.clock.advance(1999);
    await settle();
    expect(view.writes).toHaveLength(before);
    view.clock.advance(1);
    await settle();
    expect(view.writes).toHaveLength(before + 1);
    expect(view.shown()).toContain('102 due ▲1');
  });

  it('writes nothing for a look that has found nothing new', async () => {
    const view = watch(() => withDue(7));
    await settle();
    view.clock.advance(2000);
    await settle();
    const before = view.writes.length;
    for (let turn = 0; turn < 10; turn += 1) {
      view.clock.advance(2000);
      await settle();
    }
    expect(view.reads()).toBeGreaterThan(10);
    expect(view.writes).toHaveLength(before);
  });

  it('drops frames while the line takes nothing, and then shows the latest alone', async () => {
    const view = watch((turn) => withDue(1000 + turn));
    await settle();
    view.slow();
    view.clock.advance(2000);
    await settle();
    const before = view.writes.length;
    for (let turn = 0; turn < 50; turn += 1) {
      view.clock.advance(2000);
      await settle();
    }
    expect(view.reads()).toBe(52);
    expect(view.writes).toHaveLength(before);
    await view.drain();
    expect(view.writes).toHaveLength(before + 1);
    expect(view.shown()).toContain('1,052 due');
  });

  it('answers keys between two looks', async () => {
    const view = watch(() => withDue(7));
    await settle();
    view.type('?');
    expect(view.shown()).toContain('Filters');
    view.type('q');
    await settle();
    expect(view.shown()).not.toContain('Filters');
    view.type('\r');
    await settle();
    expect(view.shown()).toContain('explained: channel');
    expect(view.reads()).toBe(1);
  });

  it('stands still while it is paused, and goes on', async () => {
    const view = watch((turn) => withDue(turn));
    await settle();
    view.type(' ');
    await settle();
    expect(view.shown()).toContain('paused');
    const { reads } = view;
    const before = reads();
    view.clock.advance(60_000);
    await settle();
    expect(reads()).toBe(before);
    expect(view.shown()).toContain('1 due');
    view.type(' ');
    await settle();
    view.clock.advance(2000);
    await settle();
    expect(reads()).toBe(before + 2);
  });

  it('says that the database is gone, keeps what it knows, and says when it is back', async () => {
    const view = watch((turn) => {
      if (turn === 2) throw new DatabaseAwayError('the database at db:5432 cannot be reached');
      return withDue(turn);
    });
    await settle();
    view.clock.advance(2000);
    await settle();
    expect(view.shown()).toContain('the database at db:5432 cannot be reached; it is asked again');
    expect(view.shown()).toContain('1 due');
    view.clock.advance(2000);
    await settle();
    expect(view.shown()).not.toContain('cannot be reached');
    expect(view.shown()).toContain('3 due');
  });

  it('says after a second that the database has not answered', async () => {
    const view = watch(() => new Promise(() => undefined));
    await settle();
    expect(view.shown()).toContain('asking the database');
    view.clock.advance(1000);
    await settle();
    expect(view.shown()).toContain('the database has not answered yet');
  });

  it('ends with what no later look would mend', async () => {
    const { over } = watch(() => {
      throw new DatabaseFaultError('another shape');
    });
    await expect(over).rejects.toThrow('another shape');
  });

  it('ends at q, and is interrupted by Ctrl-C', async () => {
    const quit = watch(() => activityWith());
    await settle();
    quit.type('q');
    await quit.over;
    expect(quit.clock.waiting()).toBe(0);
    const broken = watch(() => activityWith());
    broken.type('\u0003');
    await expect(broken.over).rejects.toBeInstanceOf(Interrupted);
  });

  it('draws everything anew in another size', async () => {
    const view = watch(() => withDue(7));
    await settle();
    view.resize({ columns: 60, rows: 20 });
    await settle();
    expect(view.writes.at(-1)).toContain('\u001b[2J');
    expect(view.writes.at(-1)).toContain('7');
  });

  it('costs a slow line little: a frame in which every count and time changes is a small part of the whole screen', async () => {
    const view = watch((turn) =>
      busyActivity({
        now: new Date(Date.parse('2026-03-02T10:00:00Z') + turn * 2000).toISOString(),
        queue: { due: 1204 - turn, scheduled: 33, retrying: 5 + turn, claimed: 2, sending: 1 },
      }),
    );
    await settle();
    const whole = view.writes.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
    view.clock.advance(2000);
    await settle();
    view.clock.advance(2000);
    await settle();
    const change = Buffer.byteLength(view.writes.at(-1) ?? '');
    expect(change).toBeLessThan(400);
    expect(change * 4).toBeLessThan(whole);
  });
});
