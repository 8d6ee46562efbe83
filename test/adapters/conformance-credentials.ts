// Asking the platform whose token it is.

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

export function describeCredentials(harness: Harness): void {
  describe('the check of a token', () => {
    const stage = useStage(harness);
    const refused = { category: 'TRANSIENT', scope: 'platform', code: 'credential_refused' };

    it('names its account, and posts nothing', async () => {
      expect(await stage().check()).toEqual({ ok: true, account: harness.account });
      expect(stage().shown()).toEqual([]);
    });

    it('says that a token is refused that nobody knows', async () => {
      expect(errorOf(await stage().check(harness.wrongToken))).toMatchObject(refused);
    });

    it('says that a token is refused that was revoked, until it is good again', async () => {
      stage().faults.add({ kind: 'revoked', times: 1 });
      expect(errorOf(await stage().check())).toMatchObject(refused);
      expect(await stage().check()).toHaveProperty('ok', true);
    });

    it('is no refusal when the pace is', async () => {
      stage().faults.add({ kind: 'rate_limited' });
      expect(errorOf(await stage().check())).toMatchObject({ code: 'rate_limited' });
    });

    it.each(failures)('knows nothing after %s, and leaves no doubt about a post', async (kind) => {
      stage().faults.add({ kind, times: 1 });
      const outcome = await stage().check(undefined, { isHasty: kind === 'half_open' });
      expect(errorOf(outcome)).toMatchObject({ category: 'TRANSIENT', code: 'read_failed' });
    });
  });

  describe('the check of a token at a provider that answers anything', () => {
    let reply: SandboxReply = { status: 200, body: '' };
    const stage = useStage(harness, {
      disguise: (simulator) => ({ ...simulator, handle: () => reply }),
    });

    it.each(['', 'null', '{}', '[]', '{"ok":true}', '{"response":[{}]}', '{"user_id":"7"}'])(
      'names no account out of %j',
      async (body) => {
        for (const status of [200, 201, 302, 400, 401, 403, 404, 429, 500]) {
          reply = { status, body };
          expect(await stage().check()).toHaveProperty('ok', false);
        }
      },
    );
  });
}
