import { createHmac } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { PreviewAnswer } from '../../src/preview/answers.ts';
import { previewArea } from '../../src/preview/area.ts';
import { previewApi } from '../../src/preview/openapi.ts';
import { createSecrets } from '../../src/secrets.ts';
import { addChannel, addNewWorkspace } from '../support/database/seed.ts';
import { wholeDatabase } from '../support/database/whole-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { openIngest, type Reply, request, send, signingSecrets } from '../support/http/ingest.ts';
import { startOrigin } from '../support/http/media-origins.ts';
import { addEndpoint } from '../support/posts/intake.ts';

const database = await useDatabase();
const client = database.service;
const log = createLog({ level: 'error', pretty: false, write: () => undefined });
const secrets = createSecrets(signingSecrets);
const areas = [previewArea({ client, secrets, log })];
const ingest = await openIngest(client, { areas, documents: [previewApi] });
afterAll(() => ingest[Symbol.asyncDispose]());
let workspaceId: string;
let secret: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  secret = `s3cret-${workspaceId}`;
  await addChannel(database.admin, workspaceId, 'news');
  await addEndpoint(database.admin, workspaceId, secret, { ingress_rps: 1000 });
});

function preview(
  body: unknown,
  { key = secret, headers = {} }: { key?: string | null; headers?: Record<string, string> } = {},
): Promise<Reply> {
  return request(`${ingest.url}/v1/preview`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

describe('POST /v1/preview', () => {
  it('answers with what each channel would show, and leaves nothing behind', async () => {
    await addChannel(database.admin, workspaceId, 'wall', { platform: 'vk', rate_group: 'vk' });
    const before = await wholeDatabase(database.admin);
    const post = {
      title: 'Lost dog',
      text: '<b>Ginger</b>, answers to Bim & Bom',
      parse_mode: 'HTML',
      buttons: [[{ text: 'Call', url: 'https://a.test/call' }]],
      tags: ['lost'],
    };
    const { status, body } = await preview({ ...post, text: post.text.replace('&', '&amp;') });
    expect(status).toBe(200);
    const document = PreviewAnswer.parse(body);
    if (document.verdict === 'rejected') throw new Error('it was rejected');
    expect(document).toMatchObject({ verdict: 'accepted', seen: 'first', tags: ['lost'] });
    expect(document.channels.map(({ post: shown }) => shown?.parts)).toEqual([
      [
        {
          kind: 'text',
          messages: [
            {
              text: 'Lost dog\n\nGinger, answers to Bim & Bom',
              html: '<b>Lost dog</b>\n\n<b>Ginger</b>, answers to Bim &amp; Bom',
              attachments: [],
              buttons: [[{ text: 'Call', url: 'https://a.test/call' }]],
            },
          ],
        },
      ],
      [
        {
          kind: 'text',
          messages: [
            {
              text: 'Lost dog\n\nGinger, answers to Bim & Bom\n\nCall: https://a.test/call',
              html: expect.stringContaining('<a href="https://a.test/call">'),
              attachments: [],
              buttons: [],
            },
          ],
        },
      ],
    ]);
    expect(await wholeDatabase(database.admin)).toEqual(before);
  });

  it('says where a text is wrong, in the words of /v1/ingest', async () => {
    const post = { text: 'One\n\n\n\nTwo <p>three', parse_mode: 'HTML' };
    const { body } = await preview(post);
    expect(body).toMatchObject({
      channels: [
        {
          verdict: 'validation_failed',
          post: {
            violations: [
              {
                path: 'text',
                in: 'post',
                offset: 11,
                line: 5,
                column: 5,
                excerpt: 'Two <p>three',
                mark: '    ^',
              },
            ],
          },
        },
      ],
    });
    const taken = await send(ingest, secret, post);
    const [said] = [taken.body['channels']].flat();
    const [shown] = [body['channels']].flat();
    expect(shown).toMatchObject({ post: { violations: [{ message: reasonOf(said) }] } });
  });

  it('answers with the reason why a post would be rejected', async () => {
    const post = { text: 'a', media: [{ type: 'fax', url: 'https://a.test/1' }] };
    const { status, body } = await preview(post);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { verdict: 'rejected', violations: [{ path: 'media[0].type' }] },
    });
    const taken = await send(ingest, secret, post);
    expect(taken.body['error']).toMatchObject({ message: messageOf(body) });
  });

  it('knows what the endpoint has taken, also if it has links', async () => {
    await using origin = await startOrigin();
    const posts = [
      { text: 'Plain' },
      { text: 'Linked', media: [{ type: 'image', url: `${origin.url}/photo.png` }] },
    ];
    for (const post of posts) {
      expect((await preview(post)).body).toMatchObject({ verdict: 'accepted' });
      await send(ingest, secret, post);
      expect((await preview(post)).body).toMatchObject({ verdict: 'dedup_dropped' });
    }
  });

  it('says that a link was not fetched, and asks nobody for it', async () => {
    const { body } = await preview({
      media: [{ type: 'image', url: 'http://127.0.0.1:9/secret.jpg', caption: 'Bim' }],
    });
    expect(body).toMatchObject({
      notes: [expect.stringMatching(/^media\[0\] is a link that was not fetched/)],
      channels: [
        {
          verdict: 'queued',
          post: {
            parts: [
              {
                kind: 'media',
                messages: [
                  {
                    text: 'Bim',
                    attachments: [
                      { kind: 'photo', path: 'media[0]', label: 'secret.jpg', is_link: true },
                    ],
                  },
                ],
              },
            ],
          },
        },
      ],
    });
  });

  it.each([
    ['no secret', { key: null }, '{"text": "a"}', 401, 'missing_secret'],
    ['an unknown secret', { key: 'other' }, '{"text": "a"}', 401, 'unknown_secret'],
    ['broken JSON', {}, '{"text"', 400, 'malformed_json'],
    ['a list', {}, '[]', 422, 'post_refused'],
    [
      'another type',
      { headers: { 'content-type': 'text/plain' } },
      'a',
      415,
      'unsupported_media_type',
    ],
    ['half of a pair', {}, '{"text": "\\ud800"}', 422, 'post_refused'],
  ] as const)('refuses %s as /v1/ingest does', async (_title, given, body, status, code) => {
    const reply = await preview(body, given);
    expect(reply).toMatchObject({ status, body: { error: { code } } });
    expect(reply.body['run_id']).toBeUndefined();
  });

  it('refuses a body that is larger than the endpoint takes', async () => {
    await database.admin.query(
      'update outrider.workspace_endpoints set max_payload_bytes = 100 where workspace_id = $1',
      [workspaceId],
    );
    const { status, body } = await preview({ text: 'a'.repeat(100) });
    expect({ status, body }).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large', max_payload_bytes: 100 } },
    });
  });

  it('refuses a disabled workspace', async () => {
    await database.admin.query(
      `update outrider.workspaces set status = 'disabled' where workspace_id = $1`,
      [workspaceId],
    );
    expect(await preview({ text: 'a' })).toMatchObject({ status: 403 });
  });

  it('asks for the signature that the endpoint asks for', async () => {
    await database.admin.query(
      `update outrider.workspace_endpoints set signing_secret_ref = 'env:PLAIN' where workspace_id = $1`,
      [workspaceId],
    );
    const text = JSON.stringify({ text: 'signed' });
    expect(await preview(text)).toMatchObject({ status: 403 });
    const seconds = Math.floor(Date.now() / 1000);
    const mac = createHmac('sha256', 'plain signing secret')
      .update(`msg_1.${seconds}.${text}`)
      .digest('base64');
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${mac}`,
    };
    expect(await preview(text, { headers })).toMatchObject({ body: { verdict: 'accepted' } });
    await send(ingest, secret, text, headers);
    expect(await preview(text, { headers })).toMatchObject({ body: { verdict: 'dedup_dropped' } });
  });

  it('is part of openapi.json', async () => {
    const { body } = await request(`${ingest.url}/openapi.json`);
    expect(body).toMatchObject({
      paths: { '/v1/preview': { post: { operationId: 'preview' } } },
      components: { schemas: { Preview: expect.anything() } },
    });
  });
});

function reasonOf(verdict: unknown): unknown {
  return typeof verdict === 'object' && verdict !== null && 'reason' in verdict
    ? verdict.reason
    : undefined;
}

function messageOf(body: unknown): string | undefined {
  const document = PreviewAnswer.parse(body);
  return document.verdict === 'rejected' ? document.violations[0]?.message : undefined;
}
