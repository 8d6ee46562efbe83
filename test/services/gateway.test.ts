import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Deliver } from '../../src/dispatch/deliver.ts';
import { openOutrider } from '../../src/outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { freePort } from '../support/http/free-port.ts';
import {
  claimRows,
  type GatewayOptions,
  gatewayToken,
  type OpenGateway,
  openGateway,
} from '../support/http/gateway.ts';
import { request } from '../support/http/ingest.ts';
import { HeldSends } from '../support/queue/held-sends.ts';
import { addSandboxChannels, textsOf } from '../support/sandbox/sandbox-channels.ts';
import { post } from '../support/sandbox/sandbox-posts.ts';

// The gateway: who may ask it, what it refuses, and how it starts and stops.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
const undo = useUndo(() => sandbox.faults.clear());

async function open(options: GatewayOptions = {}): Promise<OpenGateway> {
  const gateway = await openGateway({ database, sandbox, folder }, options);
  undo.push(() => gateway[Symbol.asyncDispose]());
  return gateway;
}

async function rows(count: number) {
  const workspaceId = database.newWorkspaceId();
  const channels = await addSandboxChannels(database.admin, sandbox, {
    workspaceId,
    counts: { telegram: count },
  });
  await post(database.service, workspaceId, `Post of ${workspaceId}`);
  return { workspaceId, channels, claimed: await claimRows(database, workspaceId) };
}

const routes = ['/v1/deliver', '/v1/bot/send', '/v1/alerts', '/v1/pull/feed', '/v1/media/import'];
const json = { 'content-type': 'application/json' };

const codeOf = (body: Record<string, unknown>): unknown =>
  z.object({ error: z.object({ code: z.string() }) }).safeParse(body).data?.error.code;

describe('every route', () => {
  it.each(routes)('wants the token of the gateway: %s', async (route) => {
    const gateway = await open();
    const without = await gateway.ask(route, {}, { headers: json });
    expect([without.status, codeOf(without.body)]).toEqual([401, 'missing_token']);
    for (const token of ['wrong', `${gatewayToken}x`, gatewayToken.slice(1)]) {
      const headers = { ...json, authorization: `Bearer ${token}` };
      const wrong = await gateway.ask(route, {}, { headers });
      expect([wrong.status, codeOf(wrong.body)]).toEqual([401, 'wrong_token']);
    }
    expect(gateway.lines.join('')).not.toContain(gatewayToken);
  });

  it.each(routes)('refuses what is no row, and says where it is wrong: %s', async (route) => {
    const gateway = await open();
    const empty = await gateway.ask(route, {});
    expect([empty.status, codeOf(empty.body)]).toEqual([422, 'not_a_row']);
    expect(JSON.stringify(empty.body)).toContain('workspace_id');
    const list = await gateway.ask(route, []);
    expect([list.status, codeOf(list.body)]).toEqual([422, 'not_a_row']);
    const broken = await gateway.ask(route, '{"workspace_id": ');
    expect([broken.status, codeOf(broken.body)]).toEqual([400, 'malformed_json']);
    const garbled = await gateway.ask(route, '', {
      body: Buffer.from('{"text":"\u00e9"}', 'latin1'),
    });
    expect([garbled.status, codeOf(garbled.body)]).toEqual([400, 'malformed_json']);
    const deep = await gateway.ask(route, `{"payload":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    expect([deep.status, codeOf(deep.body)]).toEqual([422, 'not_a_row']);
    expect(JSON.stringify(deep.body)).toContain('payload: it is nested too deeply');
    const large = await gateway.ask(route, { text: 'x'.repeat(5_000_000) });
    expect([large.status, codeOf(large.body)]).toEqual([413, 'payload_too_large']);
    const headers = { authorization: `Bearer ${gatewayToken}`, 'content-type': 'text/plain' };
    const plain = await gateway.ask(route, {}, { headers });
    expect([plain.status, codeOf(plain.body)]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('a row of nobody', () => {
  it.each([
    ['delivery_id', '00000000-0000-4000-8000-000000000000'],
    ['delivery_id', 'no id'],
    ['workspace_id', 'nobody'],
  ])('is refused: %s is %s', async (name, value) => {
    const gateway = await open();
    const { claimed, channels } = await rows(1);
    const { status, body } = await gateway.ask('/v1/deliver', { ...claimed[0], [name]: value });
    expect([status, codeOf(body)]).toEqual([422, 'not_a_row']);
    expect(channels.flatMap((each) => textsOf(sandbox, each))).toEqual([]);
  });
});

describe('a gateway that is full', () => {
  it('refuses what finds no room, and nothing of it is sent', async () => {
    let held: HeldSends | undefined;
    const around = (deliver: Deliver): Deliver => (held = new HeldSends(deliver)).deliver;
    const gateway = await open({ concurrency: 2, means: { around } });
    undo.push(() => held?.letGo());
    const { claimed, channels } = await rows(2);
    // Of two places a workspace gets one: the other one is for others.
    const first = gateway.ask('/v1/deliver', claimed[0]);
    await vi.waitFor(() => expect(held?.begun).toHaveLength(1), 10_000);
    const second = await gateway.ask('/v1/deliver', claimed[1]);
    expect([second.status, codeOf(second.body)]).toEqual([429, 'no_room']);
    expect(second.headers.get('retry-after')).toBe('1');
    const other = await rows(1);
    const third = gateway.ask('/v1/deliver', other.claimed[0]);
    await vi.waitFor(() => expect(held?.begun).toHaveLength(2), 10_000);
    const fourth = await gateway.ask('/v1/deliver', {});
    expect([fourth.status, codeOf(fourth.body)]).toEqual([429, 'no_room']);
    held?.letGo();
    expect((await first).body).toMatchObject({ ok: true });
    expect((await third).body).toMatchObject({ ok: true });
    expect(channels.map((each) => textsOf(sandbox, each).length)).toEqual([1, 0]);
    expect((await gateway.ask('/v1/deliver', claimed[1])).body).toMatchObject({ ok: true });
  });
});

describe('a gateway that stops', () => {
  it('lets sends under way end and answers them', async () => {
    let held: HeldSends | undefined;
    const around = (deliver: Deliver): Deliver => (held = new HeldSends(deliver)).deliver;
    // A port that nobody else gets when it is stopped.
    const gateway = await open({ port: await freePort(), means: { around } });
    const { claimed } = await rows(1);
    const asked = gateway.ask('/v1/deliver', claimed[0]);
    await vi.waitFor(() => expect(held?.begun).toHaveLength(1), 10_000);
    const stopped = gateway[Symbol.asyncDispose]();
    held?.letGo();
    expect((await asked).body).toMatchObject({ ok: true });
    await stopped;
    await expect(gateway.ask('/v1/deliver', claimed[0])).rejects.toThrow('fetch failed');
  });

  it('breaks off sends that have no more time, and still answers what became of them', async () => {
    let held: HeldSends | undefined;
    const around = (deliver: Deliver): Deliver => (held = new HeldSends(deliver)).deliver;
    const gateway = await open({ drainMs: 1, means: { around } });
    const { claimed, channels } = await rows(1);
    const asked = gateway.ask('/v1/deliver', claimed[0]);
    await vi.waitFor(() => expect(held?.begun).toHaveLength(1), 10_000);
    const stopped = gateway[Symbol.asyncDispose]();
    expect((await asked).body['error']).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
    await stopped;
    expect(channels.map((each) => textsOf(sandbox, each))).toEqual([[]]);
  });
});

describe('a gateway without a token', () => {
  it.each([
    [undefined, 'OUTRIDER_GATEWAY_TOKEN_REF is not set'],
    ['env:NOT_SET', 'environment variable NOT_SET is not set'],
  ])('does not start: %s', async (gatewayTokenRef, message) => {
    const outrider = await openOutrider({
      databaseUrl: database.url,
      dataDir: folder,
      http: { port: 0 },
      logLevel: 'silent',
      gatewayTokenRef,
      secrets: {},
    });
    undo.push(() => outrider.stop());
    await expect(outrider.start(['adapters'])).rejects.toMatchObject({
      code: 'configuration',
      message,
    });
  });
});

describe('without a token', () => {
  it.each([{ roles: ['adapters'] }, { roles: ['adapters', 'ingest'] }] as const)(
    'anybody may ask how it does and what there is: $roles',
    async ({ roles }) => {
      const gateway = await open({ roles });
      expect((await request(`${gateway.url}/healthz`)).status).toBe(200);
      const ready = await request(`${gateway.url}/readyz`);
      const names = ['database', ...roles];
      expect([ready.status, ready.body]).toEqual([
        200,
        { ready: true, services: names.map((name) => ({ name, ok: true })) },
      ]);
      const { body } = await request(`${gateway.url}/openapi.json`);
      const validator = new Validator();
      const { errors } = await validator.validate({ ...body });
      expect([errors ?? [], validator.version]).toEqual([[], '3.1']);
      const { paths } = z.object({ paths: z.record(z.string(), z.unknown()) }).parse(body);
      const documented = routes.map((each) => each.replace('feed', '{source_id}'));
      expect(Object.keys(paths)).toEqual(expect.arrayContaining(documented));
      expect(JSON.stringify(body)).toContain('"/healthz"');
    },
  );
});

describe('beside ingest', () => {
  it('shares its server', async () => {
    const gateway = await open({ roles: ['ingest', 'adapters'] });
    const { claimed } = await rows(1);
    expect((await gateway.ask('/v1/deliver', claimed[0])).body).toMatchObject({ ok: true });
    expect((await request(`${gateway.url}/`)).body).toMatchObject({ name: 'outrider' });
  });
});
