import { describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../src/db/claim.ts';
import { patienceOf } from '../../src/dispatch/patience.ts';

const early = '2026-03-02 10:00:00+00';
const late = '2026-03-02 10:00:00.033+00';

function delivery(channelId: string, notBefore: string): ClaimedDelivery {
  return {
    deliveryId: channelId,
    claimToken: 'token',
    leaseMs: 30_000,
    attempt: 1,
    outcomeUnknown: false,
    notBefore,
    traceId: 'trace',
    messageId: 'message',
    channel: {
      channelId,
      platform: 'telegram',
      targetId: '1',
      authRef: 'bot',
      secretRef: null,
      rateGroup: 'telegram',
      settings: {},
    },
    payload: {},
    renderedText: '',
    renderMeta: {},
    media: null,
  };
}

describe('the patience of a delivery', () => {
  it.each([
    ['that is the only one of its channel', [delivery('a', early), delivery('b', early)]],
    ['whose channel has given each a slot of its own', [delivery('a', early), delivery('a', late)]],
  ])('%s is a fifth of a second', (_, claimed) => {
    expect(claimed.map(patienceOf(claimed))).toEqual([200, 200]);
  });

  it('is ten times as long where a channel gives one slot to several', () => {
    const claimed = [delivery('a', early), delivery('b', early), delivery('a', early)];
    expect(claimed.map(patienceOf(claimed))).toEqual([2000, 200, 2000]);
  });
});
