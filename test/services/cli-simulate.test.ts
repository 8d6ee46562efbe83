import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { applyWorkspace } from '../../src/db/apply.ts';
import { enqueueBatch } from '../../src/db/intake.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { type Ended, runOutrider } from '../support/cli/run-outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';

// The commands as a person runs them: processes of their own, beside a workspace whose posts are recorded.

const database = await useDatabase();
const root = path.resolve(import.meta.dirname, '../..');
let folder: string;
let prefix: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-simulate-'));
  const channel = { platform: 'telegram', auth_ref: 'bot' };
  const document = {
    workspace: 'city',
    credentials: { bot: { platform: 'telegram', secret_ref: 'env:TOKEN' } },
    channels: {
      news: { ...channel, target_id: '-1', rate_rps: 0.5 },
      pets: { ...channel, target_id: '-2', route_filter: { include_any: ['lost'] } },
    },
  };
  await applyWorkspace(database.admin, { document, prune: false, dryRun: false });
  const items = [{ text: 'A dog is lost', tags: ['lost'] }, { text: 'A cat is found' }];
  for (const item of items) {
    await enqueueBatch(database.service, { workspaceId: 'city', kind: 'push', items: [item] });
  }
  const { oid } = await queryRow(
    database.admin,
    z.object({ oid: z.string() }),
    'select oid::text from pg_database where datname = current_database()',
  );
  prefix = `outrider_scratch_${oid}_`;
});

afterAll(() => rm(folder, { recursive: true }));

function outrider(...args: string[]): Promise<Ended> {
  return runOutrider(args, { databaseUrl: database.url });
}

async function scratchDatabases(): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ name: z.string() }),
    'select datname::text as name from pg_database where starts_with(datname, $1)',
    [prefix],
  );
  return rows.map(({ name }) => name);
}

/** Everything that the real workspace holds, as one number. */
async function contents(): Promise<string> {
  const { sum } = await queryRow(
    database.admin,
    z.object({ sum: z.string() }),
    `select md5(string_agg(t::text, '' order by t::text)) as sum from (
       select d::text from outrider.deliveries d union all select m::text from outrider.messages m
       union all select c::text from outrider.channels c union all select e::text from outrider.event_log e
     ) as t`,
  );
  return sum;
}

const Simulated = z.object({
  as_it_is: z.object({ makespan_ms: z.number(), bottleneck: z.object({ limit: z.string() }) }),
  changed: z.object({ makespan_ms: z.number(), deliveries: z.object({ sent: z.number() }) }),
});

describe('outrider simulate', () => {
  it('compares a change with what is, draws it, and leaves the workspace and the server as they were', async () => {
    await database.admin.query(`create database ${prefix}leftover`); // of a run that was killed
    const before = await contents();
    const svg = path.join(folder, 'queue.svg');
    const set = ['--set', 'channels.news.rate_rps=2', '--svg', svg, '--json'];
    const { code, out, err } = await outrider('simulate', '--posts', '20', ...set);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { as_it_is: asItIs, changed } = Simulated.parse(JSON.parse(out));
    expect(asItIs).toMatchObject({ bottleneck: { limit: 'channel_pace' } });
    expect(asItIs.makespan_ms).toBeGreaterThanOrEqual(38_000); // 20 posts, 2 s apart
    expect(changed.makespan_ms).toBeLessThan(asItIs.makespan_ms / 2);
    expect(changed.deliveries.sent).toBe(30); // every second post is for both channels
    expect(await readFile(svg, 'utf8')).toMatch(
      /^<svg [\s\S]*class="line changed"[\s\S]*<\/svg>\n$/,
    );
    expect(await contents()).toBe(before);
    expect(await scratchDatabases()).toEqual([]);
  });

  it('draws and counts nothing where no channel takes a post', async () => {
    const set = ['--set', 'channels.news.route_filter={"include_any": ["sport"]}'];
    const file = path.join(folder, 'untagged.json');
    await writeFile(file, '[{"text": "A cat is found"}]');
    const { code, out } = await outrider('simulate', file, ...set, '--format', 'table');
    expect(code).toBe(0);
    expect(out).toContain('nothing would go out.\n');
  });

  it('drops its scratch database at Ctrl-C', async () => {
    const child = spawn(process.execPath, ['src/cli/outrider.ts', 'simulate', '--posts', '5000'], {
      cwd: root,
      env: { PATH: process.env['PATH'], DATABASE_URL: database.url, ...compiledSources },
      stdio: 'ignore',
    });
    await vi.waitUntil(async () => (await scratchDatabases()).length > 0, { timeout: 30_000 });
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    expect(await scratchDatabases()).toEqual([]);
  });

  it('refuses a span of time that ends before it begins', async () => {
    const { code, err } = await outrider('simulate', '--since', '1h', '--until', '3d');
    expect(code).toBe(1);
    expect(err).toContain('--since is a later time than --until');
    expect(err).not.toContain('list_posts');
  });

  it('says which right is missing', async () => {
    const databaseUrl = await database.addLogin({ roles: ['outrider_service'] });
    const { code, err } = await runOutrider(['simulate', '--posts', '1'], { databaseUrl });
    expect(code).toBe(1);
    expect(err).toMatch(/may not create databases[\s\S]*alter role "test_login_\w+" createdb/);
  });
});

describe('outrider replay', () => {
  it('tells what changed rules would change, and ends with 3', async () => {
    const before = await contents();
    const file = path.join(folder, 'changed.yaml');
    await writeFile(
      file,
      `workspace: city
templates: { signed: { body: "{{text}}\\nCity news" } }
channels:
  news: { template_ref: signed }
  pets: { route_filter: { include_any: [found] } }
`,
    );
    const { code, out, err } = await outrider('replay', file, '--since', '1d', '--json');
    expect({ code, err }).toEqual({ code: 3, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      posts: 2,
      same: 0,
      differences: [
        { kind: 'rendered', channel_id: 'news', after: { text: 'A dog is lost\nCity news' } },
        { kind: 'lost', channel_id: 'pets', why: 'it has none of the tags of include_any' },
        { kind: 'rendered', channel_id: 'news', before: { text: 'A cat is found' } },
      ],
    });
    expect(await contents()).toBe(before);
  });

  it.each([
    ['a file', 'missing.yaml', []],
    ['a value', '--set', ['channels.news.template_ref=missing']],
  ])(
    'names the workspace of its user where %s asks for a template that is not there',
    async (_title, first, more) => {
      const file = path.join(folder, 'missing.yaml');
      await writeFile(file, 'workspace: city\nchannels: { news: { template_ref: missing } }\n');
      const given = first === 'missing.yaml' ? file : first;
      const { code, err } = await outrider('replay', given, ...more, '--recent', '10');
      expect(code).toBe(1);
      expect(err).toContain(
        'channel "news": template_ref: workspace "city" has no template "missing"',
      );
      expect(err).not.toContain('simulated');
    },
  );

  it('says of which time it has found no posts', async () => {
    const set = ['--set', 'channels.news.rate_rps=5'];
    const { code, err } = await outrider('replay', '--until', '2020-01-01T00:00Z', ...set);
    expect(code).toBe(1);
    expect(err).toMatch(
      /workspace city has no posts until 2020-01-01T00:00:00Z \(\d+ days ago\)\n/,
    );
  });

  it('ends with 0 if no delivery would be different', async () => {
    const set = 'channels.news.rate_rps=5';
    const { code, out } = await outrider('replay', '--recent', '10', '--set', set, '--json');
    expect(JSON.parse(out)).toMatchObject({ differences: [], same: 3 });
    expect(code).toBe(0);
  });
});
