import { Buffer } from 'node:buffer';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { harnesses } from '../adapters/harnesses.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { openSending, type Sending } from '../support/sandbox/sending.ts';
import { platforms } from '../support/sandbox/three-platforms.ts';

const database = await useDatabase();
let sending: Sending;
let workspaceId: string;

beforeEach(async () => {
  workspaceId = database.newWorkspaceId();
  sending = await openSending(database);
  await sending.addWorkspace(workspaceId);
});
afterEach(() => sending.close());

async function only(channelId: string): Promise<void> {
  await database.admin.query(
    'update outrider.channels set enabled = channel_id = $2 where workspace_id = $1',
    [workspaceId, channelId],
  );
}

describe('a credential', () => {
  /** What the record of the delivery says of its last failure. */
  async function lastError(): Promise<unknown> {
    const row = await queryRow(
      database.admin,
      z.object({ error: z.record(z.string(), z.unknown()) }),
      `select last_error - 'raw' as error from outrider.deliveries where workspace_id = $1`,
      [workspaceId],
    );
    return row.error;
  }

  it('whose secret cannot be read is named in words that say what to do', async () => {
    await only('telegram');
    await database.admin.query(
      `update outrider.credential_bindings set secret_ref = 'env:NOT_SET' where workspace_id = $1`,
      [workspaceId],
    );
    await take(database.service, workspaceId, { text: 'Lost' }, sending.now());
    await sending.round(workspaceId);
    expect(await lastError()).toEqual({
      category: 'TRANSIENT',
      scope: 'platform',
      code: 'credential_refused',
      outcome: 'refused',
      cause: 'credential',
      message:
        'credential telegram (env:NOT_SET) cannot be read: environment variable NOT_SET is not set; correct it, restart what sends with it, then run outrider auth check',
    });
  });

  it.each([
    ['telegram', 'Telegram answers with 401: Unauthorized'],
    ['max', 'MAX says verify.token, Invalid access_token'],
    ['vk', 'VK answers with error 5, User authorization failed: user revoke access for this token'],
  ] as const)('that %s refuses is named in words that say what to do', async (platform, said) => {
    await only(platform);
    sending.sandbox.faults.add({ kind: 'revoked', times: 1 });
    await take(database.service, workspaceId, { text: 'Lost' }, sending.now());
    await sending.round(workspaceId);
    expect(await lastError()).toEqual({
      category: 'TRANSIENT',
      scope: 'platform',
      code: 'credential_refused',
      outcome: 'refused',
      cause: 'credential',
      message: `credential ${platform} (env:${platform.toUpperCase()}) was refused: ${said}; replace the token, restart what sends with it, then run outrider auth check`,
    });
  });

  it('that a person must see to says so in place of "replace the token"', async () => {
    await only('vk');
    sending.sandbox.faults.add({ kind: 'captcha', times: 1 });
    await take(database.service, workspaceId, { text: 'Lost' }, sending.now());
    await sending.round(workspaceId);
    expect(await lastError()).toMatchObject({
      code: 'credential_refused',
      outcome: 'refused',
      cause: 'credential',
      message: expect.stringMatching(
        /^credential vk \(env:VK\) was refused: .*Captcha needed; let a person sign in .*, then run outrider auth check$/,
      ),
    });
  });

  it('is found in no outcome, event or delivery, whatever goes wrong', async () => {
    const said: unknown[] = [];
    const wire = ['drop', 'html', 'truncated_json', 'server_error'] as const;
    const kinds = [...wire, 'rate_limited', 'kicked', 'revoked'] as const;
    for (const kind of kinds) {
      sending.sandbox.faults.clear();
      sending.sandbox.faults.add({ kind });
      await take(database.service, workspaceId, { text: `Fault ${kind}` }, sending.now());
      said.push(await sending.round(workspaceId));
      sending.clock.advance(3_600_000);
    }
    const rows = await queryRows(
      database.admin,
      z.object({ row: z.string() }),
      `select e::text as row from outrider.events e where workspace_id = $1
       union all select d::text from outrider.deliveries d where workspace_id = $1`,
      [workspaceId],
    );
    const everything = [inspect(said, { depth: 20 }), ...rows.map((row) => row.row)].join('\n');
    expect(everything).toContain('send_attempt');
    for (const platform of platforms) {
      const { token } = harnesses[platform];
      for (const form of [
        token,
        encodeURIComponent(token),
        Buffer.from(token).toString('base64').slice(4, -4),
      ]) {
        expect(everything.includes(form)).toBe(false);
      }
    }
  });
});
