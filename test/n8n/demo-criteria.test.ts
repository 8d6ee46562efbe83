import { describe, expect, it } from 'vitest';
import { addChannel } from '../support/database/seed.ts';
import { useN8n } from '../support/fixtures/n8n.ts';
import { orchestrate } from '../support/n8n/orchestrated.ts';
import { addChat, textsOf } from '../support/sandbox/sandbox-channels.ts';

// The four criteria of the demo, with n8n as the only orchestrator.

const stage = await useN8n();

describe('with n8n alone', () => {
  it('a channel that is added gets the next post, and no workflow is changed', async () => {
    const city = await orchestrate(stage, { counts: { telegram: 1, max: 1, vk: 1 } });
    expect(await city.push({ text: 'Lost: a ginger dog' })).toMatchObject({ status: 202 });
    const first = {
      'telegram-1': ['Lost: a ginger dog'],
      'max-1': ['Lost: a ginger dog'],
      'vk-1': ['Lost: a ginger dog'],
    };
    await expect.poll(() => city.shown()).toEqual(first);

    const added = { channelId: 'more', platform: 'telegram', targetId: '-1009990000001' } as const;
    addChat(stage.sandbox, 'telegram', added.targetId, 'More');
    await addChannel(stage.database.admin, city.workspaceId, 'more', {
      platform: 'telegram',
      target_id: added.targetId,
      auth_ref: 'telegram',
      rate_group: 'telegram',
    });
    await city.push({ text: 'Found: a ginger dog' });
    await expect.poll(() => textsOf(stage.sandbox, added)).toEqual(['Found: a ginger dog']);
  });

  it('a 429 is waited out and recorded, and then the post arrives once', async () => {
    const city = await orchestrate(stage, { counts: { telegram: 1 } });
    const [news] = city.channels;
    stage.sandbox.faults.add({
      kind: 'rate_limited',
      platform: 'telegram',
      chat: news?.targetId ?? '',
      retryAfter: 2,
      times: 1,
    });
    await city.push({ text: 'Road works' });
    await expect.poll(() => city.shown()).toEqual({ 'telegram-1': ['Road works'] });
    await expect.poll(() => city.deliveries()).toMatchObject([{ status: 'sent', attempt: 2 }]);
    const events = (await city.events()).filter(({ action }) =>
      ['send_attempt', 'retry_scheduled', 'sent'].includes(action),
    );
    expect(events).toMatchObject([
      { action: 'send_attempt' },
      { action: 'retry_scheduled' },
      { action: 'send_attempt' },
      { action: 'sent' },
    ]);
    const [, refused, again] = events;
    expect((again?.ms ?? 0) - (refused?.ms ?? 0)).toBeGreaterThanOrEqual(2000);
  });

  it('the same post goes to a channel once', async () => {
    const city = await orchestrate(stage, { counts: { telegram: 1, max: 1 } });
    await city.push({ text: 'A concert', source_ref: 'one' });
    const once = { 'telegram-1': ['A concert'], 'max-1': ['A concert'] };
    await expect.poll(() => city.shown()).toEqual(once);
    const again = await city.push({ text: 'A concert', source_ref: 'two' });
    expect(again).toMatchObject({
      status: 202,
      body: { channels: [{ verdict: 'deduped' }, { verdict: 'deduped' }] },
    });
    expect(await city.actions()).toContain('dedup_suppressed');
    // A later post has gone out: so would a repeat have.
    await city.push({ text: 'Another concert' });
    await expect
      .poll(() => city.shown())
      .toEqual({
        'telegram-1': ['A concert', 'Another concert'],
        'max-1': ['A concert', 'Another concert'],
      });
  });

  it('a channel that throws the bot out is paused, then disabled, and the others go on', async () => {
    const settings = { pause_on_permanent_for: '100 milliseconds' };
    const city = await orchestrate(stage, { counts: { telegram: 1, max: 1 }, settings });
    const [, bad] = city.channels;
    stage.sandbox.faults.add({ kind: 'kicked', platform: 'max', chat: bad?.targetId ?? '' });
    for (const [n, text] of ['One', 'Two', 'Three'].entries()) {
      await city.push({ text });
      await expect
        .poll(async () =>
          (await city.deliveries()).filter(({ status }) => status === 'failed_permanent'),
        )
        .toHaveLength(n + 1);
    }
    await expect
      .poll(() => city.shown())
      .toEqual({ 'telegram-1': ['One', 'Two', 'Three'], 'max-1': [] });
    const actions = await city.actions();
    expect(actions).toEqual(expect.arrayContaining(['channel_paused', 'channel_disabled']));
    expect(await city.push({ text: 'Four' })).toMatchObject({
      body: {
        channels: expect.arrayContaining([
          expect.objectContaining({ channel_id: 'max-1', verdict: 'not_routed', rule: 'disabled' }),
        ]),
      },
    });
  });
});
