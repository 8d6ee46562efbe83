import { expect, it } from 'vitest';
import { printSimulation } from '../../src/cli/simulate/screen.ts';
import type { LimitUse } from '../../src/simulate/limits.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';

const summary = {
  beganAt: 0,
  lastSentAt: 90_000,
  makespanMs: 90_000,
  posts: { given: 2, rejected: 0 },
  deliveries: { made: 2, sent: 2, failed: 0, dead: 0, waiting: 0, deduped: 0, refused: 0 },
  attempts: 2,
  waitMs: { median: 100, p95: 200, longest: 200 },
  deepest: { at: 0, waiting: 1, sent: 0 },
  lastChannel: 'news',
  bottleneck: null,
  series: [{ at: 0, waiting: 1, sent: 0 }],
};

function shownWith(...limits: readonly LimitUse[]): string {
  const terminal = recordingTerminal();
  const asItIs = { ...summary, limits };
  const shown = { workspaceId: 'city', asItIs, changed: undefined, changes: [], notes: [] };
  printSimulation(terminal, 'table', shown);
  return terminal.printed();
}

function pace(group: string, waitedMs: number): LimitUse {
  return { limit: 'group_pace', name: group, value: 1, waitedMs, deliveries: 1 };
}

it('a simulation lists only limits that were waited for, to the second', () => {
  const short = shownWith(pace('pets', 300));
  expect(short).not.toContain('what channels waited for');
  expect(short).toContain('Nothing had to wait for a limit.');
  const both = shownWith(pace('news', 2000), pace('pets', 300));
  expect(both).toMatch(/^what channels waited for .*\nthe pace of rate group news .* 2 s /m);
  expect(both).not.toContain('pets');
});
