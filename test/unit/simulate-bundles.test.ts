import { describe, expect, it } from 'vitest';
import { bundlesOf } from '../../src/simulate/bundles.ts';
import type { LimitUse } from '../../src/simulate/limits.ts';
import type { RunResult } from '../../src/simulate/run.ts';
import { together } from '../../src/simulate/together.ts';

const channel = (channelId: string, rateGroup: string, maxParallel = 1) => ({
  channelId,
  platform: 'telegram',
  rateGroup,
  maxParallel,
});
const six = [
  channel('a1', 'a'),
  channel('a2', 'a'),
  channel('a3', 'a'),
  channel('b1', 'b'),
  channel('b2', 'b'),
  channel('c1', 'c'),
];

describe('bundles of rate groups', () => {
  it('keep the channels of a rate group together, and are as even as can be', () => {
    expect(bundlesOf(six, 100, 2)).toEqual([
      ['a1', 'a2', 'a3'],
      ['b1', 'b2', 'c1'],
    ]);
    expect(bundlesOf(six, 100, 4)).toEqual([['a1', 'a2', 'a3'], ['b1', 'b2'], ['c1']]);
  });

  it('tell groups of the same name on two platforms apart', () => {
    const max = { ...channel('m', 'a'), platform: 'max' };
    expect(bundlesOf([channel('t', 'a'), max], 100, 4)).toEqual([['t'], ['m']]);
  });

  it('are one where the channels could wait for the places of the sender', () => {
    expect(bundlesOf(six, 6, 4)).toHaveLength(3);
    expect(bundlesOf(six, 5, 4)).toEqual([['a1', 'a2', 'a3', 'b1', 'b2', 'c1']]);
    expect(bundlesOf([...six, channel('d', 'd', 95)], 100, 4)).toHaveLength(1);
  });

  it('are one where there is no channel', () => {
    expect(bundlesOf([], 100, 4)).toEqual([[]]);
  });
});

const waited = (limit: LimitUse['limit'], name: string, waitedMs: number): LimitUse => ({
  limit,
  name,
  value: 1,
  waitedMs,
  deliveries: 1,
});

function run(channelId: string, uses: LimitUse[]): RunResult {
  const delivery = (post: number) => ({
    deliveryId: `${channelId}-${post}`,
    post,
    channelId,
    arrivedAt: 0,
    startedAt: 0,
    sentAt: 1,
    failedAt: undefined,
    status: 'sent' as const,
    attempts: 1,
    rendering: undefined,
    since: 0,
    readyAt: 0,
  });
  const deliveryId = `${channelId}-0`;
  const queued = { verdict: 'queued' as const, channelId, deliveryId, notBefore: '' };
  return {
    beganAt: 0,
    deliveries: [delivery(0), delivery(1)],
    verdicts: [
      { ok: true, channels: [queued] },
      { ok: false, reason: 'no text' },
    ],
    limits: {
      uses: (wanted) => (wanted === undefined || wanted === channelId ? uses : []),
    },
    steps: 2,
  };
}

describe('the results of bundles', () => {
  const whole = together([
    run('a', [waited('channel_pace', 'a', 5), waited('places', '', 1)]),
    run('b', [waited('posting_window', 'b', 7), waited('places', '', 2)]),
  ]);

  it('have the deliveries and verdicts of all, post by post', () => {
    const order = whole.deliveries.map(({ deliveryId }) => deliveryId);
    expect(order).toEqual(['a-0', 'b-0', 'a-1', 'b-1']);
    expect(whole.verdicts).toMatchObject([
      { ok: true, channels: [{ channelId: 'a' }, { channelId: 'b' }] },
      { ok: false, reason: 'no text' },
    ]);
    expect(whole.steps).toBe(4);
  });

  it('add up what channels waited for, the longest first', () => {
    expect(whole.limits.uses().map(({ limit, waitedMs }) => [limit, waitedMs])).toEqual([
      ['posting_window', 7],
      ['channel_pace', 5],
      ['places', 3],
    ]);
    expect(whole.limits.uses('a')).toHaveLength(2);
  });
});
