import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { publicFunctions } from '../../scripts/sql-reference/functions.ts';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addNewWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { type CalledFunction, calledFunction } from '../support/workflows/called-function.ts';
import { evaluate } from '../support/workflows/expression.ts';
import { nodeNamed, readWorkflows, typeOf, type Workflow } from '../support/workflows/workflow.ts';

const database = await useDatabase();
const workflows = readWorkflows();

function workflowNamed(name: string): Workflow {
  const found = workflows.find((workflow) => workflow.name === name);
  if (found === undefined) throw new Error(`no workflow ${name}`);
  return found;
}

const calls = workflows.flatMap((workflow) =>
  workflow.nodes
    .filter((node) => typeOf(node) === 'postgres')
    .map((node): [string, CalledFunction] => [
      `${workflow.name}: ${node.name}`,
      calledFunction(node),
    ]),
);

const Callable = z.object({ may: z.boolean(), most: z.int(), least: z.int() });

/** How the function may be called by a login that is a member of outrider_service and nothing else. */
function callable(name: string): Promise<z.output<typeof Callable>[]> {
  return queryRows(
    database.admin,
    Callable,
    `select has_function_privilege('outrider_service', p.oid, 'execute') as may,
       p.pronargs - coalesce(('p_now' = any (p.proargnames))::integer, 0) as most,
       (p.pronargs - p.pronargdefaults)::integer as least
     from pg_proc p where p.pronamespace = 'outrider'::regnamespace and p.proname = $1`,
    [name],
  );
}

/** Has PostgreSQL read the query, with its places for parameters, and not run it. */
async function understood(query: string): Promise<void> {
  await database.admin.query(`prepare tried as ${query}; deallocate tried`);
}

describe('what the workflows call', () => {
  let published: Set<string>;

  beforeAll(async () => {
    const functions = await publicFunctions(database.admin);
    published = new Set(functions.map(({ name }) => name));
  });

  it.each(calls)('%s is a public function that outrider_service may call so', async (_, call) => {
    expect(published).toContain(call.name);
    const [signature, ...overloads] = await callable(call.name);
    expect(overloads).toEqual([]);
    expect(signature?.may).toBe(true);
    expect(call.args.length).toBeGreaterThanOrEqual(signature?.least ?? 0);
    // Without p_now: the time is the database's.
    expect(call.args.length).toBeLessThanOrEqual(signature?.most ?? 0);
  });

  it.each(calls)('%s is a query that PostgreSQL understands', async (_, { query }) => {
    await expect(understood(query)).resolves.toBeUndefined();
  });

  it.each([
    ['select outrider.claim_deliveries($1, $2)', /does not exist/],
    ['select outrider.no_such_function($1)', /does not exist/],
    ['select no_such_column from outrider.next_workspaces($1, $2)', /does not exist/],
  ])('PostgreSQL refuses %s', async (query, why) => {
    await expect(understood(query)).rejects.toThrow(why);
  });

  it('does not count a part as a function that may be called', async () => {
    expect(published).not.toContain('allocate');
    expect(await callable('allocate')).toEqual([expect.objectContaining({ may: false })]);
  });
});

// What became of a call of the gateway, as the HTTP node tells it.
const answers = {
  sent: (row: Claimed) => ({
    statusCode: 200,
    body: { ...ids(row), ok: true, provider_message_id: '871' },
  }),
  'a transient failure': (row: Claimed) => failure(row, 'TRANSIENT', 'delivery', '500'),
  'a permanent failure': (row: Claimed) => failure(row, 'PERMANENT', 'delivery', '400'),
  'no such address': () => ({ error: { code: 'ECONNREFUSED', message: '' } }),
  'no such name': () => ({ error: { code: 'ENOTFOUND', message: '' } }),
  'a wrong token': () => refusal(401, 'wrong_token'),
  'no such row': () => refusal(422, 'not_a_row'),
  'a gateway that stops': () => refusal(503, 'stopping'),
  'a fault of the gateway': () => refusal(500, 'internal'),
  'a proxy that lost it': () => ({ statusCode: 502, body: {} }),
  'a connection that broke off': () => ({ error: { code: 'ECONNRESET', message: 'aborted' } }),
  'a timeout': () => ({ error: { code: 'ECONNABORTED', message: 'timeout' } }),
  'an answer that is no JSON': () => ({ error: 'Response body is not valid JSON.' }),
  'an answer that is no outcome': () => ({ statusCode: 200, body: {} }),
} satisfies Record<string, (row: Claimed) => object>;

const notSent = {
  code: 'unreachable',
  outcome: 'not_sent',
  cause: 'sender',
  became: 'retry',
  counted: 0,
  unknown: false,
};
const turnedAway = { ...notSent, code: 'aborted' };
const unknown = {
  code: 'outcome_unknown',
  outcome: 'unknown',
  cause: 'outage',
  became: 'retry',
  counted: 1,
  unknown: true,
};

const expected: Record<keyof typeof answers, object> = {
  sent: { became: 'sent' },
  'a transient failure': { code: '500', became: 'retry', counted: 1 },
  'a permanent failure': { code: '400', became: 'failed_permanent', counted: 1 },
  'no such address': notSent,
  'no such name': notSent,
  'a wrong token': turnedAway,
  'no such row': turnedAway,
  'a gateway that stops': turnedAway,
  'a fault of the gateway': unknown,
  'a proxy that lost it': unknown,
  'a connection that broke off': unknown,
  'a timeout': unknown,
  'an answer that is no JSON': unknown,
  'an answer that is no outcome': unknown,
};

const Claimed = z.looseObject({
  workspace_id: z.string(),
  delivery_id: z.string(),
  claim_token: z.string(),
});
type Claimed = z.output<typeof Claimed>;

function ids({ delivery_id, claim_token }: Claimed): { delivery_id: string; claim_token: string } {
  return { delivery_id, claim_token };
}

function failure(row: Claimed, category: string, scope: string, code: string): object {
  return {
    statusCode: 200,
    body: { ...ids(row), ok: false, error: { category, scope, code, message: 'no' } },
  };
}

function refusal(statusCode: number, code: string): object {
  return { statusCode, body: { error: { code, message: code } } };
}

/** The values that a node would put in the places of its query. */
function valuesOf(
  workflow: Workflow,
  name: string,
  scope: Parameters<typeof evaluate>[1],
): unknown[] {
  const { values = [] } = calledFunction(nodeNamed(workflow, name));
  return values.map((value) => evaluate(`={{ ${value} }}`, scope));
}

const Entry = z.looseObject({
  workspace_id: z.string(),
  has_room: z.boolean(),
  outcome: z.looseObject({}),
});

/** What the adapter hands back for an answer of the gateway. */
function handedBack(row: Claimed, answer: object): z.output<typeof Entry> {
  const adapter = workflowNamed('adapter_telegram_send');
  const scope = { nodes: { 'Take claimed rows': row } };
  const output = (name: string, $json: object): object => {
    const { jsonOutput } = nodeNamed(adapter, name).parameters;
    return z
      .looseObject({})
      .parse(JSON.parse(String(evaluate(String(jsonOutput), { ...scope, $json }))));
  };
  const came = output('Say what became of the call', answer);
  return Entry.parse(output('Write the entry for the commit', came));
}

const State = z.object({
  became: z.string(),
  counted: z.int(),
  unknown: z.boolean(),
  code: z.string().nullable(),
  outcome: z.string().nullable(),
  cause: z.string().nullable(),
});

describe('a claimed delivery', () => {
  const dispatcher = workflowNamed('02_dispatcher');
  let workspaceId: string;
  let row: Claimed;

  beforeEach(async () => {
    workspaceId = await addNewWorkspace(database);
    await addChannel(database.admin, workspaceId, 'news');
    await enqueueMessagesAndDeliveries(database.service, {
      workspaceId,
      endpointId: null,
      kind: 'push',
      rawPayload: { text: 'Lost: a ginger dog' },
    });
    const claim = 'Claim up to 20 deliveries of each';
    const scope = { $json: { workspace_id: workspaceId }, $execution: { id: '42' } };
    const { query } = calledFunction(nodeNamed(dispatcher, claim));
    row = await queryRow(database.service, Claimed, query, valuesOf(dispatcher, claim, scope));
  });

  const state = (): Promise<z.output<typeof State>> =>
    queryRow(
      database.admin,
      State,
      `select d.status::text as became, d.attempt - (d.attempt_limit - 5) as counted, d.outcome_unknown as unknown,
         d.last_error ->> 'code' as code, d.last_error ->> 'outcome' as outcome, d.last_error ->> 'cause' as cause
       from outrider.deliveries d where d.workspace_id = $1`,
      [workspaceId],
    );

  it.each(Object.entries(answers))('is committed after %s', async (name, answer) => {
    const entry = handedBack(row, answer(row));
    expect(entry.has_room).toBe(true);
    const commit = 'Commit what became of it';
    const { query } = calledFunction(nodeNamed(dispatcher, commit));
    const values = valuesOf(dispatcher, commit, { $json: entry });
    await database.service.query(query, values);
    expect(await state()).toMatchObject(
      Object.entries(expected).find(([key]) => key === name)?.[1] ?? {},
    );
    expect(await leases()).toBe(0);
  });

  it('is given back when the gateway has no room, and no attempt is counted', async () => {
    const entry = handedBack(row, refusal(429, 'no_room'));
    expect(entry.has_room).toBe(false);
    const release = 'Give back what was not sent';
    const { query } = calledFunction(nodeNamed(dispatcher, release));
    await database.service.query(query, valuesOf(dispatcher, release, { $json: entry }));
    expect(await state()).toMatchObject({ became: 'retry', counted: 0, code: null });
    expect(await leases()).toBe(0);
  });

  it('has a lease that is longer than that of a workspace', () => {
    expect(row['lease_ms']).toBe('120000');
  });

  const leases = async (): Promise<number> => {
    const Count = z.object({ count: z.int() });
    const text = 'select count(*)::integer as count from outrider.leases where workspace_id = $1';
    return (await queryRow(database.admin, Count, text, [workspaceId])).count;
  };
});
