import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { Delivered, ImportedPost, ReadChunk, Replied, Told } from '../../src/gateway/answers.ts';
import { openApi } from '../../src/gateway/openapi.ts';
import { statusOf } from '../../src/gateway/refusal.ts';
import { serverStatusOf } from '../../src/http/refusal.ts';
import { addAlertTarget, addDead } from '../support/alerts/alert-rows.ts';
import { addPerson, addSandboxBot, hear } from '../support/bot/sandbox-bot.ts';
import { addChannel } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { openGateway } from '../support/http/gateway.ts';
import { startOrigin } from '../support/http/media-origins.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import { addSource } from '../support/pull/pull-ground.ts';
import { bind } from '../support/queries/documented-queries.ts';
import { addSandboxChannels } from '../support/sandbox/sandbox-channels.ts';
import { post } from '../support/sandbox/sandbox-posts.ts';

// docs/gateway.md: the statements of every route in their order, with the gateway in between.

const page = readFileSync(new URL('../../docs/gateway.md', import.meta.url), 'utf8');
const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
const undo = useUndo();

const answers = {
  '/v1/deliver': Delivered,
  '/v1/bot/send': Replied,
  '/v1/alerts': Told,
  '/v1/pull/<source_id>': ReadChunk,
  '/v1/media/import': ImportedPost,
} as const;
type Route = keyof typeof answers;

function section(route: Route): string {
  const found = page.split(/^## /m).find((each) => each.startsWith(`POST ${route}\n`));
  if (found === undefined) throw new Error(`the page does not know ${route}`);
  return found;
}

function blocks(route: Route, kind: 'json' | 'sql'): string[] {
  const found = section(route).matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, 'gms'));
  return [...found].map(([, text = '']) => text);
}

type Values = Record<string, unknown>;

/** Runs the nth statement of a section. */
async function run(route: Route, n: number, values: Values = {}): Promise<Values> {
  const { text, values: given } = bind(blocks(route, 'sql')[n] ?? '', values);
  return queryRow(database.service, z.record(z.string(), z.unknown()), text, given);
}

async function ask(route: Route, row: unknown, address: string = route): Promise<Values> {
  const gateway = await openGateway({ database, sandbox, folder });
  undo.push(() => gateway[Symbol.asyncDispose]());
  const { status, body } = await gateway.ask(address, row);
  expect(status).toBe(200);
  return answers[route].parse(body);
}

const json = (value: unknown): string => JSON.stringify(value);

describe('the page on the gateway', () => {
  it.each(Object.keys(answers).map((each) => z.custom<Route>().parse(each)))(
    'shows answers that the gateway may give: %s',
    (route) => {
      const shown = blocks(route, 'json');
      expect(shown.length).toBeGreaterThan(0);
      for (const each of shown) answers[route].parse(JSON.parse(each));
    },
  );

  it('names every refusal with its status', () => {
    const ofAddresses = ['not_found', 'method_not_allowed', 'host_refused', 'headers_too_large'];
    const codes = Object.entries({ ...serverStatusOf, ...statusOf })
      .filter(([code]) => ![...ofAddresses, 'request_timeout'].includes(code))
      .map(([code, status]) => `${status} ${code}`);
    const listed = [...page.matchAll(/^\| (\d{3}) \| (.*?) \|/gm)].flatMap(([, status, words]) =>
      [...(words ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => `${status} ${code}`),
    );
    expect(listed.toSorted()).toEqual(codes.toSorted());
  });

  it('names every route, and the document of the interface the same ones', () => {
    const { paths } = z.object({ paths: z.record(z.string(), z.unknown()) }).parse(openApi());
    const documented = Object.keys(paths).filter((each) => each.startsWith('/v1/'));
    const named = [...page.matchAll(/^## POST (\S+)$/gm)].map(([, each = '']) => each);
    expect(named.map((each) => each.replace(/<(\w+)>/, '{$1}')).toSorted()).toEqual(
      documented.toSorted(),
    );
  });

  it('sends a delivery as it says', async () => {
    await addSandboxChannels(database.admin, sandbox, {
      workspaceId: 'city',
      counts: { telegram: 1 },
    });
    await post(database.service, 'city', 'Lost dog');
    const { row } = await run('/v1/deliver', 0);
    const answer = await ask('/v1/deliver', row);
    expect(await run('/v1/deliver', 1, { answer: json(answer) })).toEqual({
      became: 'sent',
      note: null,
    });
  });

  it('tells of alerts as it says', async () => {
    await addAlertTarget(database.admin, 'city');
    await addChannel(database.admin, 'city', 'news');
    await addDead(database, 'city', new Date().toISOString());
    await database.service.query("select from outrider.evaluate_alerts('city')");
    const { row } = await run('/v1/alerts', 0);
    const answer = await ask('/v1/alerts', row);
    expect(await run('/v1/alerts', 1, { answer: json(answer) })).toEqual({ became: 'sent' });
  });

  it('reads a source as it says, and records that it could not', async () => {
    const feed =
      '<rss version="2.0"><channel><item><guid>1</guid><title>A</title></item></channel></rss>';
    let isAway = false;
    const site = await startOrigin((_request, response) =>
      isAway ? response.writeHead(500).end() : response.end(feed),
    );
    undo.push(() => site[Symbol.asyncDispose]());
    const source = {
      workspaceId: 'city',
      sourceId: 'feed',
      kind: 'rss',
      config: { url: site.url },
    };
    await addSource(database.admin, source);
    const { row } = await run('/v1/pull/<source_id>', 0);
    isAway = true;
    const failure = await ask('/v1/pull/<source_id>', row, '/v1/pull/feed');
    isAway = false;
    const chunk = await ask('/v1/pull/<source_id>', row, '/v1/pull/feed');
    expect([failure['ok'], chunk['ok']]).toEqual([false, true]);
    const { taken } = await run('/v1/pull/<source_id>', 1, { answer: json(chunk) });
    expect(taken).toMatchObject({ items: [{ verdict: 'accepted' }] });
    const again = { ...failure };
    expect(await run('/v1/pull/<source_id>', 2, { answer: json(again) })).toEqual({ due_at: null });
  });

  it('copies media as it says', async () => {
    const site = await startOrigin();
    undo.push(() => site[Symbol.asyncDispose]());
    await addEndpoint(database.admin, 'city', 'secret-of-the-city', { endpoint_id: 'push' });
    const payload = json({ text: 'Cat', media: [{ type: 'image', url: `${site.url}/cat.png` }] });
    const { row } = await run('/v1/media/import', 0, { payload });
    const answer = await ask('/v1/media/import', row);
    const { enqueued } = await run('/v1/media/import', 1, { payload, answer: json(answer) });
    expect(enqueued).toMatchObject({ verdict: 'accepted' });
  });

  it('sends a reply of a bot as it says', async () => {
    await addSandboxBot(database.service, 'city');
    await hear(database.service, 'city', addPerson(sandbox, 'max'), 'привет');
    const { row } = await vi.waitFor(() => run('/v1/bot/send', 0), 10_000);
    const answer = await ask('/v1/bot/send', row);
    expect(await run('/v1/bot/send', 1, { answer: json(answer) })).toEqual({
      became: 'sent',
      note: null,
    });
  });
});
