import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { createDirectPush } from '../../src/dispatch/direct-push.ts';
import { type Dispatcher, startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { silentLog } from '../../src/log.ts';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import {
  addFleet,
  addSenders,
  type FleetChannel,
  fleetDeliver,
  textsOf,
  urlsOf,
} from '../support/fleet.ts';
import { type Ingest, openIngest, refusalIn, send } from '../support/ingest.ts';
import { addEndpoint } from '../support/intake.ts';

const secret = 's3cret';

let database: TestDatabase;
let sandbox: Sandbox;
let senders: ReturnType<typeof fleetDeliver>;
let dispatcher: Dispatcher;
let ingest: Ingest;
let channel: FleetChannel;
let count = 0;

beforeAll(async () => {
  database = await openDatabase();
  sandbox = await startSandbox();
  addSenders(sandbox);
  sandbox.telegram.simulator.control('limits', { chat: null, bot: null });
  senders = fleetDeliver(database.service, urlsOf(sandbox));
  const fleet = { workspaceId: 'w', counts: { telegram: 1 } };
  const [only] = await addFleet(database.admin, sandbox, fleet);
  channel = only ?? never();
  await addEndpoint(database.admin, 'w', secret, { ingress_rps: 1000 });
});

afterAll(async () => {
  await senders.close();
  await sandbox.close();
  await database.close();
});

beforeEach(async () => {
  dispatcher = startDispatcher({
    client: database.service,
    deliver: senders.deliver,
    log: silentLog,
    concurrency: 50,
    drainMs: 5000,
    pollMs: 60_000,
  });
  ingest = await openIngest(database.service, {
    push: createDirectPush(database.service, dispatcher),
    wake: (workspaceId) => void dispatcher.wake(workspaceId),
  });
  await post(); // so that the endpoint is known
});

afterEach(async () => {
  await ingest[Symbol.asyncDispose]();
  await dispatcher.stop();
});

/** A post of its own; answers when its chat shows it and the dispatcher is at rest. */
async function post(): Promise<string> {
  const text = newText();
  expect(await send(ingest, secret, { text })).toMatchObject({ status: 202 });
  await delivered(text);
  return text;
}

function newText(): string {
  count += 1;
  return `Post ${count}`;
}

async function delivered(text: string): Promise<void> {
  const shown = () => textsOf(sandbox, channel).filter((each) => each === text);
  await vi.waitFor(() => expect(shown()).toEqual([text]), 10_000);
  await vi.waitFor(() => expect(isAtRest()).toBe(true), 10_000);
}

function isAtRest(): boolean {
  const place = dispatcher.reserve('w');
  place?.settle([]);
  return place !== undefined;
}

const Delivery = z.object({ status: z.string(), transactions: z.number() });

/** The deliveries of a text; in how many transactions each was queued and claimed. */
async function deliveriesOf(text: string): Promise<z.output<typeof Delivery>[]> {
  return queryRows(
    database.admin,
    Delivery,
    `select d.status::text, (
       select count(distinct e.xmin::text)::int from outrider.events e
       where e.delivery_id = d.delivery_id and e.action in ('enqueue', 'send_attempt')
     ) as transactions
     from outrider.deliveries d where d.rendered_text = $1`,
    [text],
  );
}

describe('a post that comes while the dispatcher is at rest', () => {
  it('is queued and claimed in one transaction', async () => {
    expect(await deliveriesOf(await post())).toEqual([{ status: 'sent', transactions: 1 }]);
  });

  it('is taken in, and claimed later, when somebody has its channel', async () => {
    const other = await database.admin.connect();
    await other.query('begin');
    await other.query('select from outrider.channels for no key update');
    const text = newText();
    expect(await send(ingest, secret, { text })).toMatchObject({ status: 202 });
    expect(await deliveriesOf(text)).toEqual([{ status: 'queued', transactions: 1 }]);
    await other.query('rollback');
    other.release();
    await delivered(text);
    expect(await deliveriesOf(text)).toEqual([{ status: 'sent', transactions: 2 }]);
  });

  it('is refused as ever when PostgreSQL cannot hold it', async () => {
    const reply = await send(ingest, secret, { text: 'a\u0000b' });
    expect(reply.status).toBe(422);
    expect(refusalIn(reply).code).toBe('post_refused');
    expect(isAtRest()).toBe(true);
  });

  it('is given back when the dispatcher is told to stop meanwhile', async () => {
    const place = dispatcher.reserve('w');
    const text = newText();
    expect(await send(ingest, secret, { text })).toMatchObject({ status: 202 });
    const stopped = dispatcher.stop();
    const claimed = await claimDeliveries(database.service, place?.request ?? never());
    expect(claimed).toHaveLength(1);
    place?.settle(claimed);
    await stopped;
    expect(await deliveriesOf(text)).toMatchObject([{ status: 'retry' }]);
  });
});

describe('a post that comes while the dispatcher is at work', () => {
  it('is left to its next claim', async () => {
    const place = dispatcher.reserve('w');
    expect(dispatcher.reserve('w')).toBeUndefined();
    const text = newText();
    expect(await send(ingest, secret, { text })).toMatchObject({ status: 202 });
    expect(await deliveriesOf(text)).toEqual([{ status: 'queued', transactions: 1 }]);
    place?.settle([]);
    await delivered(text);
    expect(await deliveriesOf(text)).toEqual([{ status: 'sent', transactions: 2 }]);
  });
});

function never(): never {
  throw new Error('the dispatcher was not at rest');
}
