import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addNewWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useIngest } from '../support/fixtures/ingest.ts';
import { type Reply, refusalIn, send } from '../support/http/ingest.ts';
import { png, startOrigin } from '../support/http/media-origins.ts';
import { addEndpoint } from '../support/posts/intake.ts';

const database = await useDatabase();
const ingest = await useIngest(database);
let workspaceId: string;
let secret: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  secret = `s3cret-${workspaceId}`;
  ingest.woken.length = 0;
  await addChannel(database.admin, workspaceId, 'news');
  await addEndpoint(database.admin, workspaceId, secret, {
    ingress_rps: 1000,
    signing_secret_ref: 'env:PLAIN',
  });
});

/** The headers of a request with this body, signed with a secret. */
function signed(
  body: string,
  { key = 'plain signing secret', id = 'msg_1', seconds = Math.floor(Date.now() / 1000) } = {},
): Record<string, string> {
  const mac = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${mac}`,
  };
}

async function push(body: string, headers: Record<string, string>): Promise<Reply> {
  return send(ingest, secret, body, headers);
}

async function kept(): Promise<{ messages: (string | null)[]; rejections: string[] }> {
  const messages = await queryRows(
    database.admin,
    z.object({ source_ref: z.string().nullable() }),
    'select source_ref from outrider.messages where workspace_id = $1 order by created_at',
    [workspaceId],
  );
  const rejections = await queryRows(
    database.admin,
    z.object({ reason: z.string() }),
    `select meta ->> 'reason' as reason from outrider.events
     where workspace_id = $1 and action = 'ingress_payload_rejected'`,
    [workspaceId],
  );
  return {
    messages: messages.map((row) => row.source_ref),
    rejections: rejections.map((row) => row.reason),
  };
}

const post = '{"text": "Lost: a ginger dog"}';

describe('an endpoint that asks for signatures', () => {
  it('takes a signed post, and its webhook-id as source_ref', async () => {
    expect((await push(post, signed(post))).status).toBe(202);
    expect(ingest.woken).toEqual([workspaceId]);
    expect((await push(post, signed(post))).status).toBe(200);
    expect(await kept()).toMatchObject({ messages: ['msg_1'] });
  });

  it('takes an empty source_ref for none', async () => {
    const body = '{"text": "Lost", "source_ref": ""}';
    expect((await push(body, signed(body))).status).toBe(202);
    expect(await kept()).toMatchObject({ messages: ['msg_1'] });
  });

  it('leaves a source_ref that the post has', async () => {
    const own = '{"text": "Lost", "source_ref": "post-1"}';
    await push(own, { ...signed(own), 'x-request-id': 'trace-1' });
    expect(await kept()).toEqual({ messages: ['post-1'], rejections: [] });
  });

  it('takes a secret in the encoded form', async () => {
    await database.admin.query(
      "update outrider.workspace_endpoints set signing_secret_ref = 'env:ENCODED' where workspace_id = $1",
      [workspaceId],
    );
    const headers = signed(post, { key: 'encoded signing secret' });
    expect((await push(post, headers)).status).toBe(202);
  });

  it('wants the secret of the endpoint as well', async () => {
    expect((await send(ingest, undefined, post, signed(post))).status).toBe(401);
    expect((await send(ingest, 'wrong', post, signed(post))).status).toBe(401);
  });

  it.each([
    ['without a signature', () => ({})],
    ['with the signature of another body', () => signed('{"text": "Found"}')],
    ['with a signature of another secret', () => signed(post, { key: 'other' })],
    [
      'with a signature of ten minutes ago',
      () => signed(post, { seconds: Math.floor(Date.now() / 1000) - 600 }),
    ],
    ['under another id', () => ({ ...signed(post), 'webhook-id': 'msg_2' })],
  ])('refuses a post %s, and records it', async (_title, headers) => {
    const reply = await push(post, headers());
    expect(reply.status).toBe(403);
    expect(refusalIn(reply).code).toBe('bad_signature');
    expect(reply.body['run_id']).toEqual(expect.any(String));
    const { messages, rejections } = await kept();
    expect([messages, rejections]).toEqual([[], [refusalIn(reply).message]]);
    expect(ingest.woken).toEqual([]);
  });

  it('copies media only for a signed post', async () => {
    await using origin = await startOrigin((_request, response) => response.end(png));
    const withMedia = JSON.stringify({ media: [{ type: 'image', url: origin.url }] });
    expect((await push(withMedia, {})).status).toBe(403);
    expect(origin.asked).toHaveLength(0);
    expect((await push(withMedia, signed(withMedia))).status).toBe(202);
    expect(origin.asked).toHaveLength(1);
  });

  it('accepts nothing while its secret cannot be read, and the log says why', async () => {
    await database.admin.query(
      "update outrider.workspace_endpoints set signing_secret_ref = 'env:MISSING' where workspace_id = $1",
      [workspaceId],
    );
    const reply = await push(post, signed(post));
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('60');
    expect(refusalIn(reply).code).toBe('signing_secret_unreadable');
    expect(JSON.stringify(reply.body)).not.toContain('MISSING');
    expect(ingest.lines.join('')).toContain('environment variable MISSING is not set');
    expect(await kept()).toEqual({ messages: [], rejections: [] });
  });
});

describe('the reference of a signing secret', () => {
  it.each(['the secret itself', 'env:', ''])('is none if it is "%s"', async (reference) => {
    const set = database.admin.query(
      'update outrider.workspace_endpoints set signing_secret_ref = $2 where workspace_id = $1',
      [workspaceId, reference],
    );
    await expect(set).rejects.toThrow(/signing_secret_ref_points_to_a_secret/);
  });
});
