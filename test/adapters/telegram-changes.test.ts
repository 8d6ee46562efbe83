import { describe, expect, it } from 'vitest';
import type { Edit } from '../../src/adapters/adapter.ts';
import { errorOf, idsOf, type Stage, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';
import { group, telegramHarness } from './telegram-harness.ts';

const signal = new AbortController().signal;
const edit: Edit = {
  text: 'Нашёлся',
  format: 'None',
  disablePreview: false,
  buttons: [],
  isCaption: false,
};
const rows = [[{ text: 'Сайт', url: 'https://example.org/' }]];

function pictures(count: number) {
  return Array.from({ length: count }, (_, n) => new StoredBlob(`n${n}`).asMedium());
}

const methodsOf = (stage: Stage) => stage.calls.map((call) => call.method);

describe('an edit', () => {
  const stage = useStage(telegramHarness);

  it('replaces the buttons, and takes them away when there are none', async () => {
    const ids = idsOf(await stage().send({ buttons: rows }));
    const other = [[{ text: 'Карта', url: 'https://example.org/map' }]];
    expect(await stage().edit(ids, { buttons: other })).toEqual({ ok: true });
    expect(stage().shown()).toMatchObject([{ text: 'Нашёлся', buttons: other }]);
    expect(await stage().edit(ids, {})).toEqual({ ok: true });
    expect(stage().shown()).toMatchObject([{ text: 'Нашёлся', buttons: [] }]);
  });

  it('keeps links from being previewed', async () => {
    const ids = idsOf(await stage().send());
    await stage().edit(ids, { disablePreview: true });
    expect(stage().calls[1]?.request.json).toMatchObject({
      link_preview_options: { is_disabled: true },
    });
  });

  it('of a caption has the format and the buttons of the post', async () => {
    const ids = idsOf(await stage().send({ media: pictures(1), buttons: rows }));
    const change = { text: '<b>Нашёлся</b>', format: 'HTML', isCaption: true } as const;
    expect(await stage().edit(ids, { ...change, buttons: rows })).toEqual({ ok: true });
    expect(stage().shown()).toMatchObject([{ html: '<b>Нашёлся</b>', buttons: rows }]);
    expect(await stage().edit(ids, { ...change, buttons: rows })).toEqual({ ok: true });
  });

  it('of an album changes the caption of its first item, and hangs no buttons on it', async () => {
    const ids = idsOf(await stage().send({ media: pictures(3) }));
    expect(await stage().edit(ids, { isCaption: true, buttons: rows })).toEqual({ ok: true });
    expect(stage().shown()).toMatchObject([{ text: 'Нашёлся', buttons: [] }]);
    expect(stage().calls[1]?.request.json).not.toHaveProperty('reply_markup');
  });

  it.each([[[]], [['']], [['none']]])('of a post without messages is refused: %j', async (ids) => {
    expect(errorOf(await stage().edit(ids, {}))).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'message_not_found',
    });
    expect(stage().calls).toEqual([]);
  });

  it('of a picture without its text being a caption is refused for good', async () => {
    const ids = idsOf(await stage().send({ media: pictures(1) }));
    expect(errorOf(await stage().edit(ids, {}))).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'not_changeable',
    });
  });
});

describe('a removal', () => {
  const stage = useStage(telegramHarness);

  it('of an album takes all of its messages away in one call', async () => {
    const outcome = await stage().send({ media: pictures(3) });
    expect(await stage().remove(idsOf(outcome))).toEqual({ ok: true });
    expect(stage().shown()).toEqual([]);
    expect(methodsOf(stage())).toEqual(['sendMediaGroup', 'deleteMessages']);
  });

  it('of what is partly gone takes the rest away', async () => {
    const [joined = ''] = idsOf(await stage().send({ media: pictures(3) }));
    const [, second = ''] = joined.split(',');
    await stage().remove([second]);
    expect(await stage().remove([joined])).toEqual({ ok: true });
    expect(stage().shown()).toEqual([]);
  });

  it('of many messages goes in hundreds', async () => {
    const ids = Array.from({ length: 201 }, (_, n) => String(n + 1));
    expect(await stage().remove(ids)).toEqual({ ok: true });
    expect(stage().calls.map((call) => call.request.json)).toMatchObject([
      { message_ids: ids.slice(0, 100).map(Number) },
      { message_ids: ids.slice(100, 200).map(Number) },
      { message_id: 201 },
    ]);
  });

  it('ends at the first refusal', async () => {
    const ids = Array.from({ length: 201 }, (_, n) => String(n + 1));
    stage().faults.add({ kind: 'rate_limited', after: 1, times: 1, retryAfter: 3 });
    expect(errorOf(await stage().remove(ids))).toMatchObject({
      category: 'TRANSIENT',
      scope: 'platform',
      retryAfterMs: 3000,
    });
    expect(stage().calls).toHaveLength(2);
  });

  it('of nothing is done without a call', async () => {
    expect(await stage().remove([''])).toEqual({ ok: true });
    expect(stage().calls).toEqual([]);
  });
});

describe('a post in a group that has become a supergroup', () => {
  const stage = useStage(telegramHarness);

  it('did not move with it: taking it away fails for good', async () => {
    const { channel, token } = stage().request();
    const there = { ...channel, targetId: String(group) };
    const ids = idsOf(await stage().send({ channel: there }));
    stage().simulator.control('migrate', { chat: group });
    const post = { channel: there, token, providerMessageIds: ids };
    const gone = { category: 'PERMANENT', scope: 'delivery', code: 'chat_moved' };
    expect(errorOf(await stage().adapter.remove(post, signal))).toMatchObject(gone);
    // Telegram still lets its text be changed.
    expect(await stage().adapter.edit(post, edit, signal)).toEqual({ ok: true });
  });
});

describe('an answer to a change', () => {
  let [status, body] = [200, ''];
  const stage = useStage(telegramHarness, {
    disguise: (simulator) => ({ ...simulator, handle: () => ({ status, body }) }),
  });
  const unknown = { category: 'TRANSIENT', scope: 'delivery', code: 'outcome_unknown' };

  it.each(['', '<html>', '{}', '{"ok":true}', '{"ok":true,"result":{}}', '{"ok":false}'])(
    'is not believed when it is odd: %s',
    async (odd) => {
      [status, body] = [200, odd];
      expect(errorOf(await stage().edit(['1'], {}))).toMatchObject(unknown);
      expect(errorOf(await stage().remove(['1']))).toMatchObject(unknown);
    },
  );

  it('is not believed when its status says something else', async () => {
    [status, body] = [502, '{"ok":true,"result":true}'];
    expect(errorOf(await stage().remove(['1']))).toMatchObject(unknown);
  });
});
