import { describe, expect, it } from 'vitest';
import type { Terminal } from '../../src/cli/command.ts';
import { stageInWords } from '../../src/cli/opening.ts';
import { throughStages, whileWaiting } from '../../src/cli/screen/waiting.ts';
import { watching } from '../../src/cli/screen/watching.ts';
import { loadConfig } from '../../src/config.ts';
import { DatabaseAwayError, InvalidInputError } from '../../src/errors.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

describe('somebody who waits', () => {
  it('is told for what after one second of silence, once', async () => {
    const clock = createManualClock();
    const terminal = recordingTerminal();
    const { promise: work, resolve } = Promise.withResolvers<string>();
    const waiting = whileWaiting(terminal, 'waiting for the database', work, clock);
    clock.advance(999);
    expect(terminal.shownProgress()).toBe('');
    clock.advance(1);
    expect(terminal.shownProgress()).toBe('waiting for the database …\n');
    clock.advance(60_000);
    resolve('done');
    expect(await waiting).toBe('done');
    expect(terminal.shownProgress()).toBe('waiting for the database …\n');
    expect(`${terminal.printed()}${terminal.printedErrors()}`).toBe('');
  });

  it('is told nothing when it takes less, be it a failure', async () => {
    const clock = createManualClock();
    const terminal = recordingTerminal();
    await whileWaiting(terminal, 'waiting', Promise.resolve(), clock);
    const broken = whileWaiting(terminal, 'waiting', Promise.reject(new Error('no')), clock);
    await expect(broken).rejects.toThrow('no');
    expect(clock.waiting()).toBe(0);
    clock.advance(5000);
    expect(terminal.shownProgress()).toBe('');
  });

  it('is told of each stage that takes a second, and of nothing once all is done', async () => {
    const clock = createManualClock();
    const terminal = recordingTerminal();
    let beginLate = (_what: string): void => undefined;
    await throughStages(
      terminal,
      async (begin) => {
        beginLate = begin;
        begin('starting PostgreSQL');
        clock.advance(999);
        begin('starting PostgreSQL'); // the same stage goes on
        clock.advance(1);
        begin('connecting');
        clock.advance(999);
        begin('migrating');
        clock.advance(5000);
      },
      clock,
    );
    beginLate('starting PostgreSQL again');
    clock.advance(5000);
    expect(terminal.shownProgress()).toBe('starting PostgreSQL …\nmigrating …\n');
  });

  it('is told where the database is, and not its password', () => {
    const own = loadConfig({ OUTRIDER_DATA_DIR: '/var/lib/outrider' });
    expect(stageInWords('starting_server', own)).toBe(
      'starting PostgreSQL in /var/lib/outrider/postgres',
    );
    expect(stageInWords('migrating', own)).toBe('bringing the database up to date');
    const near = loadConfig({ OUTRIDER_DATA_DIR: 'data' });
    expect(stageInWords('creating_cluster', near)).toBe(
      "creating PostgreSQL's data in data/postgres",
    );
    const given = loadConfig({ DATABASE_URL: 'postgresql://app:s3cret@db.example:6432/outrider' });
    expect(stageInWords('connecting', given)).toBe('waiting for the database at db.example:6432');
  });
});

describe('what is watched', () => {
  /** Lets what is under way come to its next wait. */
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  function watch(show: (screen: Terminal, turn: number) => void | Promise<void>, height = 24) {
    const clock = createManualClock();
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    const terminal = recordingTerminal({ stopped });
    let turns = 0;
    const options = { everyMs: 2000, clock, height: () => height };
    const watched = watching(terminal, options, async (screen) => {
      turns += 1;
      await show(screen, turns);
    });
    return { clock, terminal, watched, stop, turns: () => turns };
  }

  it('is shown anew every two seconds, until the terminal is told to stop', async () => {
    const { clock, terminal, watched, stop, turns } = watch((screen, turn) =>
      screen.out(`turn ${turn}`),
    );
    await settle();
    expect(terminal.printed()).toBe('turn 1\nCtrl-C ends\n');
    clock.advance(1999);
    await settle();
    expect(turns()).toBe(1);
    clock.advance(1);
    await settle();
    expect(terminal.printed()).toBe('turn 1\nCtrl-C ends\nturn 2\nCtrl-C ends\n');
    stop();
    await watched;
    expect(clock.waiting()).toBe(0);
  });

  it('ends at once when the terminal is told to stop while it is being asked', async () => {
    const { terminal, watched, stop } = watch(() => new Promise(() => undefined));
    stop();
    await watched;
    expect(terminal.printed()).toBe('');
  });

  it('is no longer than the screen', async () => {
    const { terminal, watched, stop } = watch((screen) => {
      for (let line = 1; line <= 10; line += 1) screen.out(`line ${line}`);
    }, 5);
    await settle();
    expect(terminal.printed()).toBe('line 1\nline 2\nline 3\n7 more lines · Ctrl-C ends\n');
    stop();
    await watched;
  });

  it('goes on when the database is away for a while', async () => {
    const { clock, terminal, watched, stop } = watch((screen, turn) => {
      if (turn === 1) throw new DatabaseAwayError('the database cannot be reached');
      screen.out('back');
    });
    await settle();
    expect(terminal.printed()).toContain('the database cannot be reached\nIt is asked again.\n');
    clock.advance(2000);
    await settle();
    expect(terminal.printed()).toContain('back\n');
    stop();
    await watched;
  });

  it('ends with any other error', async () => {
    const { watched } = watch(() => {
      throw new InvalidInputError('there is no channel "x"');
    });
    await expect(watched).rejects.toThrow('there is no channel "x"');
  });

  it('is shown once where nobody asks for more', async () => {
    const terminal = recordingTerminal();
    await watching(terminal, { everyMs: undefined }, async (screen) => screen.out('once'));
    expect(terminal.printed()).toBe('once\n');
  });
});
