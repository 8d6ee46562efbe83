import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksums } from '../support/database/catalogue.ts';
import {
  apply,
  type Configuration,
  configuredRows,
  hashOf,
} from '../support/database/configuration.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// Documents that list some of a few things, with every field: what the rows are afterwards does then not depend on
// what they were before.

const database = await useDatabase();
const { admin, service } = database;
let workspaces = 0;

const ids = ['a', 'b', 'c', 'd'] as const;
const tags = fc.uniqueArray(fc.constantFrom('news', 'city', 'лес'), { maxLength: 3 });
const rate = fc.constantFrom(null, 0, 0.5, 30);

/** Some of the ids, each with a value of its own out of the pool. */
function some<Fields>(
  fields: fc.Arbitrary<Fields>,
): fc.Arbitrary<{ id: string; place: number; fields: Fields }[]> {
  return fc
    .tuple(
      fc.subarray([...ids]),
      fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
      fc.array(fields, { minLength: 4, maxLength: 4 }),
    )
    .map(([chosen, places, values]) =>
      chosen.flatMap((id, index) => {
        const [place, value] = [places[index], values[index]];
        return place === undefined || value === undefined ? [] : [{ id, place, fields: value }];
      }),
    );
}

const documents = fc.record({
  name: fc.constantFrom('City', 'Town'),
  status: fc.constantFrom('active', 'paused', 'disabled'),
  settings: fc.record({
    max_attempts: fc.integer({ min: 1, max: 100 }),
    claimed_lease: fc.constantFrom('1 minute', '60 seconds', '2 days'),
    backoff_jitter: fc.constantFrom(0, 0.25, 0.9),
    keep_deduped_rows: fc.boolean(),
    keep_payloads: fc.constantFrom('errors', 'all', 'none'),
  }),
  endpoints: some(
    fc.record({
      kind: fc.constantFrom('webhook_push', 'bot_webhook'),
      enabled: fc.boolean(),
      ingress_rps: fc.constantFrom(1, 2.5),
      meta: fc.dictionary(fc.constantFrom('x', 'y'), fc.jsonValue({ maxDepth: 1 })),
      signing_secret_ref: fc.constantFrom(null, 'env:SIGNING'),
    }),
  ),
  credentials: some(
    fc.record({
      secret_ref: fc.constantFrom('env:ONE', 'file:/two'),
    }),
  ),
  groups: some(fc.record({ rate_rps: fc.constantFrom(0, 1, 0.25) })),
  templates: some(
    fc.record({
      body: fc.constantFrom('{{text}}', 'Lost: {{text}}', '{{#title}}{{title}}{{/title}}'),
      defaults: fc.dictionary(fc.constantFrom('more', 'kind'), fc.constantFrom('Read on', '')),
    }),
  ),
  channels: some(
    fc.record({
      auth_ref: fc.constantFrom(...ids),
      rate_group: fc.constantFrom(...ids),
      enabled: fc.boolean(),
      title: fc.constantFrom(null, '', 'Новости'),
      send_mode: fc.constantFrom('text', 'media', 'mixed'),
      rate_rps: rate,
      max_parallel: fc.integer({ min: 1, max: 5 }),
      timezone: fc.constantFrom('UTC', 'Europe/Moscow'),
      window_mode: fc.constantFrom('immediate', 'windowed'),
      posting_window: fc.constantFrom({}, { mon: [['09:00', '18:00']] }),
      dedup_ttl_hours: fc.constantFrom(null, 0, 24),
      settings: fc.constantFrom({}, { parse_mode: 'HTML' }, { values: { a: 1.5 } }),
      tags,
      route_filter: fc.constantFrom(null, {}, { include_any: ['news'] }),
    }),
  ),
  pull_sources: some(
    fc.record({
      kind: fc.constantFrom('rss', 'vk_wall'),
      config: fc.dictionary(fc.constantFrom('x', 'y'), fc.jsonValue({ maxDepth: 1 })),
      enabled: fc.boolean(),
    }),
  ),
});

/** A credential is of one platform, and so are the channels that post with it. */
function platformOf(authRef: string): string {
  return authRef === 'a' ? 'telegram' : authRef === 'b' ? 'max' : 'vk';
}

type Drawn = typeof documents extends fc.Arbitrary<infer Value> ? Value : never;

function documentOf(workspace: string, drawn: Drawn): Configuration {
  const { groups, endpoints, channels, templates, ...rest } = drawn;
  const [named] = templates;
  return {
    workspace,
    name: rest.name,
    status: rest.status,
    settings: rest.settings,
    endpoints: mapping(endpoints, ({ place }) => ({ secret_hash: hashOf(`${workspace}${place}`) })),
    credentials: mapping(rest.credentials, ({ id }) => ({ platform: platformOf(id) })),
    rate_groups: { telegram: mapping(groups), vk: {} },
    templates: mapping(templates),
    channels: mapping(channels, ({ place, fields }) => ({
      platform: platformOf(fields.auth_ref),
      target_id: `-100${place}`,
      template_ref: named === undefined ? null : named.id,
    })),
    pull_sources: mapping(rest.pull_sources),
  };
}

function mapping<Thing extends { id: string; fields: object }>(
  things: readonly Thing[],
  more: (thing: Thing) => object = () => ({}),
): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    things.map((thing) => [thing.id, { ...thing.fields, ...more(thing) }] as const),
  );
}

/** The rows of what the document lists: of the rest, endpoints are disabled, credentials that channels name stay. */
async function listedRows(document: Configuration): Promise<unknown[]> {
  const rows = await configuredRows(admin, document.workspace);
  return rows.filter(({ name, row }) => {
    if (name === 'workspace_endpoints') return isListed(document.endpoints, row['endpoint_id']);
    if (name === 'credential_bindings') return isListed(document.credentials, row['auth_ref']);
    if (name !== 'platform_limits') return true;
    return isListed(document.rate_groups?.[String(row['platform'])], row['rate_group']);
  });
}

function isListed(section: object | undefined, id: unknown): boolean {
  return section !== undefined && Object.hasOwn(section, String(id));
}

const options = { numRuns: 30 };

/** Enough to find the smallest example of a failure. */
const patience = 120_000;

describe('any document', () => {
  it(
    'has nothing to change when it is applied again, and a dry run tells what an apply does',
    async () => {
      await fc.assert(
        fc.asyncProperty(documents, documents, async (before, drawn) => {
          workspaces += 1;
          const workspace = `w${workspaces}`;
          await apply(service, documentOf(workspace, before));
          const document = documentOf(workspace, drawn);
          const dry = await apply(service, document, { prune: true, dryRun: true });
          expect(await apply(service, document, { prune: true })).toEqual(dry);
          const kept = await checksums(admin);
          const again = await apply(service, document, { prune: true });
          expect(again.filter((each) => each.action !== 'keep')).toEqual([]);
          expect(await checksums(admin)).toEqual(kept);
        }),
        options,
      );
    },
    patience,
  );

  it(
    'gives its rows again after any other was applied',
    async () => {
      await fc.assert(
        fc.asyncProperty(documents, documents, fc.boolean(), async (drawn, other, prune) => {
          workspaces += 1;
          const document = documentOf(`w${workspaces}`, drawn);
          await apply(service, document, { prune: true });
          const rows = await listedRows(document);
          const edited = documentOf(document.workspace, other);
          // Without pruning, channels and endpoints of the first may have what the second wants.
          const harmless = { ...edited, channels: {}, endpoints: {} };
          await apply(service, prune ? edited : harmless, { prune });
          await apply(service, document, { prune: true });
          expect(await listedRows(document)).toEqual(rows);
        }),
        options,
      );
    },
    patience,
  );
});
