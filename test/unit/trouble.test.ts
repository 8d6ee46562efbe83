import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLog } from '../../src/log.ts';
import { createTrouble, type Trouble } from '../../src/trouble.ts';
import { createManualClock, type ManualClock } from '../support/time/manual-clock.ts';

const Line = z.object({
  level: z.string(),
  message: z.string(),
  workspace_id: z.string(),
  error: z.string().optional(),
  times: z.number(),
});

let lines: z.output<typeof Line>[];
let clock: ManualClock;
let trouble: Trouble;

beforeEach(() => {
  lines = [];
  clock = createManualClock();
  const write = (line: string): void => void lines.push(Line.parse(JSON.parse(line)));
  const words = { failed: 'it does not work', over: 'it works again' };
  const facts = { workspace_id: 'north' };
  const log = createLog({ level: 'info', pretty: false, write });
  trouble = createTrouble(log, clock, words, facts);
});

describe('what fails again and again', () => {
  it('is said at once, then once a minute, with how often it has failed by then', () => {
    for (let second = 0; second < 150; second += 2) {
      trouble.failed(new Error('no'));
      clock.advance(2000);
    }
    const said = { level: 'warn', message: 'it does not work', workspace_id: 'north' };
    expect(lines).toEqual([
      { ...said, error: 'Error: no', times: 1 },
      { ...said, error: 'Error: no', times: 31 },
      { ...said, error: 'Error: no', times: 61 },
    ]);
    expect(trouble.times).toBe(75);
  });

  it('is said to be over, once, and at once when it comes back', () => {
    trouble.failed(new Error('no'));
    trouble.failed(new Error('no'));
    trouble.over();
    trouble.over();
    trouble.failed(new Error('no, once more'));
    expect(lines.map(({ level, times }) => [level, times])).toEqual([
      ['warn', 1],
      ['info', 2],
      ['warn', 1],
    ]);
  });

  it('is not spoken of while it works', () => {
    trouble.over();
    expect(lines).toEqual([]);
    expect(trouble.times).toBe(0);
  });
});
