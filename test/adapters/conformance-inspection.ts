// Looking at a chat, without writing to it.

import { describe, expect, it } from 'vitest';
import type { FaultKind, SandboxReply } from '../../sandbox/simulator.ts';
import type { Harness } from './harness.ts';
import { errorOf, useStage } from './stage.ts';

const failures: readonly FaultKind[] = [
  'drop',
  'half_open',
  'html',
  'empty_body',
  'truncated_json',
  'server_error',
];

export function describeInspection(harness: Harness): void {
  describe('the look at a chat', () => {
    const stage = useStage(harness);

    it('finds it, with nothing in the way of posts, and posts nothing', async () => {
      const { targetId } = stage().place;
      const found = await stage().inspect();
      expect(found).toMatchObject({ ok: true, chatId: targetId, faults: [] });
      expect(stage().shown()).toEqual([]);
    });

    it('does not find a chat that is not there', async () => {
      const { unknownTargetId } = stage().place;
      expect(errorOf(await stage().inspect(unknownTargetId))).toMatchObject({
        code: 'chat_not_found',
      });
    });

    it('says that the token is refused', async () => {
      stage().faults.add({ kind: 'revoked' });
      expect(errorOf(await stage().inspect())).toMatchObject({ code: 'credential_refused' });
    });

    it('is not made while the pace forbids it', async () => {
      const { adapter, place, calls } = stage();
      const channel = { channelId: 'c', targetId: place.targetId, authRef: 'a', settings: {} };
      const before = calls.length;
      const asked = { channel, token: harness.token };
      const beforeCall = async () => 'the group rests';
      const { signal } = new AbortController();
      const looked = await adapter.inspect?.(asked, { signal, beforeCall });
      expect(looked).toMatchObject({ ok: false, error: { message: 'the group rests' } });
      expect(calls.length).toBe(before);
    });

    it.each(failures)('knows nothing after %s, and leaves no doubt about a post', async (kind) => {
      stage().faults.add({ kind, times: 1 });
      const outcome = await stage().inspect(undefined, { isHasty: kind === 'half_open' });
      expect(errorOf(outcome)).toMatchObject({ category: 'TRANSIENT', code: 'read_failed' });
    });
  });

  describe('the look at a chat at a provider that answers anything', () => {
    let reply: SandboxReply = { status: 200, body: '' };
    const stage = useStage(harness, {
      disguise: (simulator) => ({ ...simulator, handle: () => reply }),
    });

    it.each(['', 'null', '{}', '[]', '{"ok":true}', '{"response":[{}]}', '{"chat_id":"7"}'])(
      'finds no chat in %j',
      async (body) => {
        for (const status of [200, 201, 302, 400, 401, 403, 404, 429, 500]) {
          reply = { status, body };
          expect(await stage().inspect()).toHaveProperty('ok', false);
        }
      },
    );
  });
}
