import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { silentLog } from '../../src/log.ts';
import { type Outrider, openOutrider } from '../../src/outrider.ts';
import { begin, openSessions } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { type Reply, refusalIn, send } from '../support/http/ingest.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import { serviceUrl } from '../support/processes/dispatcher-child.ts';
import {
  addSandboxChannels,
  sandboxSecrets,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { post as postTo, statusesOf } from '../support/sandbox/sandbox-posts.ts';

// One process with all roles, as `outrider up` has them, and two tenants: `shop` keeps the database busy, `city`
// posts now and then and has a send under way that does not end.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
let outrider: Outrider;
const sessions = openSessions();
const undo: (() => unknown)[] = [];

beforeAll(async () => {
  // A post of the shop keeps the database busy until it is let go.
  await database.admin.query(`
    create table public.let_go ();
    create function public.toil() returns trigger language plpgsql security definer as $$
    begin
      while not exists (select from public.let_go) loop
        perform pg_sleep(0.01);
      end loop;
      return new;
    end $$;
    create trigger toil before insert on outrider.messages for each row
      when (new.payload ->> 'text' like 'heavy%') execute function public.toil()`);
});

beforeEach(async () => {
  await database.admin.query('delete from public.let_go');
  const given = {
    databaseUrl: serviceUrl(database),
    apiUrls: urlsOf(sandbox),
    http: { port: 0 },
    dataDir: folder,
    drainMs: 1000,
    secrets: sandboxSecrets,
  };
  outrider = await openOutrider(given, { log: silentLog });
  undo.push(() => outrider.stop());
  await outrider.start(['ingest', 'dispatch', 'upkeep']);
});

afterEach(async () => {
  await database.admin.query('insert into public.let_go default values');
  await sessions.endAll();
  for (const step of undo.splice(0).toReversed()) await step();
  sandbox.faults.clear();
  await database.admin.query("update outrider.workspaces set status = 'disabled'");
});

let count = 0;

interface Tenants {
  readonly shop: string;
  readonly city: string;
  /** What the city's chat shows. */
  readonly shown: () => string[];
}

/** Both workspaces with an endpoint each; the secret of each is its name. */
async function openTenants(): Promise<Tenants> {
  count += 1;
  const [shop, city] = [`shop-${count}`, `city-${count}`];
  await addSandboxChannels(database.admin, sandbox, { workspaceId: shop, counts: { vk: 1 } });
  // Extended after a third of it; so long that a machine that pauses for a moment does not lose it.
  const settings = { sending_lease: '9 seconds' };
  const [news, slow] = await addSandboxChannels(database.admin, sandbox, {
    workspaceId: city,
    counts: { telegram: 2 },
    settings,
  });
  if (news === undefined || slow === undefined) throw new Error('there are no channels');
  for (const each of [shop, city]) {
    await addEndpoint(database.admin, each, each, { ingress_rps: 1000 });
  }
  sandbox.faults.add({ kind: 'half_open', platform: 'telegram', chat: slow.targetId });
  return { shop, city, shown: () => textsOf(sandbox, news) };
}

async function addShops(number: number): Promise<string[]> {
  const shops = Array.from({ length: number }, (_, n) => `shop-${count}-${n}`);
  for (const shop of shops) {
    await addSandboxChannels(database.admin, sandbox, { workspaceId: shop, counts: { vk: 1 } });
    await addEndpoint(database.admin, shop, shop, { ingress_rps: 1000 });
  }
  return shops;
}

async function post(workspaceId: string, text: string): Promise<Reply> {
  return send({ url: outrider.url ?? '' }, workspaceId, { text });
}

/** How many calls of intake the database has under way, waiting ones included. */
async function intakeUnderWay(): Promise<number> {
  const row = await queryRow(
    database.admin,
    z.object({ count: z.number() }),
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and state = 'active' and query like '%outrider.ingest_push%'
       and pid <> pg_backend_pid()`,
  );
  return row.count;
}

/** Returns when the lease of the city's send has been extended. */
async function leaseIsExtended(workspaceId: string): Promise<void> {
  const leaseUntil = async (): Promise<number> => {
    const row = await queryRow(
      database.admin,
      z.object({ until: z.number().nullable() }),
      `select extract(epoch from max(lease_until))::float8 as until
       from outrider.leases where workspace_id = $1 and open_count > 0`,
      [workspaceId],
    );
    return row.until ?? 0;
  };
  const before = await leaseUntil();
  expect(before).toBeGreaterThan(0);
  await expect.poll(leaseUntil, { timeout: 30_000 }).toBeGreaterThan(before);
}

/** What the city must have of its own, whatever the shop does. */
async function cityGoesOn({ city, shown }: Tenants): Promise<void> {
  const texts = Array.from({ length: 10 }, (_, n) => `Post ${n}`);
  for (const text of texts) expect((await post(city, text)).status).toBe(202);
  await leaseIsExtended(city);
  await expect
    .poll(() => shown().toSorted(), { timeout: 30_000 })
    .toEqual(['first', ...texts].toSorted());
}

describe('what is being sent', () => {
  it('keeps its lease and is committed while many tenants take all connections of intake', async () => {
    const tenants = await openTenants();
    const { city, shown } = tenants;
    const shops = await addShops(12);
    expect((await post(city, 'first')).status).toBe(202);
    await expect.poll(shown).toEqual(['first']);

    const heavy = shops.map((shop) => begin(post(shop, 'heavy')));
    await expect.poll(intakeUnderWay).toBe(10);
    await postTo(database.service, city, 'second');
    await leaseIsExtended(city);
    await expect.poll(shown, { timeout: 30_000 }).toEqual(['first', 'second']);
    await expect.poll(() => statusesOf(database.admin, city)).toEqual({ sent: 2, sending: 2 });
    await database.admin.query('insert into public.let_go default values');
    await Promise.all(heavy);
  });
});

describe('a tenant goes on while another one', () => {
  it('has posts under way on two dozen connections that keep the database busy', async () => {
    const tenants = await openTenants();
    const { shop, city, shown } = tenants;
    expect((await post(city, 'first')).status).toBe(202);
    await expect.poll(shown).toEqual(['first']);

    const heavy = Array.from({ length: 24 }, (_, n) => begin(post(shop, `heavy ${n}`)));
    await expect.poll(intakeUnderWay).toBeGreaterThanOrEqual(2);
    await cityGoesOn(tenants);

    await database.admin.query('insert into public.let_go default values');
    const replies = await Promise.all(heavy);
    const refused = replies.filter(({ status }) => status !== 202);
    expect(refused.length).toBeLessThan(24);
    for (const each of refused) expect(each.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await post(shop, 'light')).status).toBe(202);
  });

  it('has an open transaction that holds what its own senders need', async () => {
    const tenants = await openTenants();
    const { shop, city, shown } = tenants;
    expect((await post(city, 'first')).status).toBe(202);
    await expect.poll(shown).toEqual(['first']);

    const login = await database.connectAs({ workspaces: [shop], roles: ['outrider_ingest'] });
    const mishap = await sessions.open(login);
    await enqueueMessagesAndDeliveries(mishap.client, {
      workspaceId: shop,
      endpointId: 'push',
      kind: 'push',
      rawPayload: { text: 'left open' },
    });
    const ordinary = Array.from({ length: 12 }, (_, n) => begin(post(shop, `ordinary ${n}`)));
    await expect.poll(intakeUnderWay).toBeGreaterThanOrEqual(2);
    await cityGoesOn(tenants);

    for (const reply of await Promise.all(ordinary)) {
      expect(['locked', 'workspace_busy']).toContain(refusalIn(reply).code);
      expect(reply.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    await mishap.commit();
    expect((await post(shop, 'afterwards')).status).toBe(202);
    expect(await statusesOf(database.admin, city)).toMatchObject({ sent: 11 });
  });
});
