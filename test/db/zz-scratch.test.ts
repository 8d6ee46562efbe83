import { afterAll, beforeAll, it } from 'vitest';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import { addBacklog, addChannel, addWorkspace } from '../support/seed.ts';
let database: TestDatabase;
beforeAll(async () => { database = await openDatabase(); });
afterAll(() => database.close());
const set = "set enable_seqscan=off; set enable_hashjoin=off; set enable_mergejoin=off; set enable_memoize=off; set jit=off; set plan_cache_mode=force_generic_plan;";
const variants: Record<string,string> = {
 plainJoin: `update outrider.deliveries d set updated_at = now() from (select $1::text as workspace_id, u.* from unnest($2::uuid[], $3::uuid[]) as u (delivery_id, claim_token) offset 0) s
   where d.workspace_id = s.workspace_id and d.delivery_id = s.delivery_id and d.status = 'sending' and d.claim_token = s.claim_token returning 1`,
 plainOld: `update outrider.deliveries d set updated_at = now() from unnest($2::uuid[], $3::uuid[]) as s (delivery_id, claim_token)
   where d.workspace_id = $1 and d.delivery_id = s.delivery_id and d.status = 'sending' and d.claim_token = s.claim_token returning 1`,
 messages: `select g.payload from unnest($2::uuid[], $3::uuid[]) as s (message_id, claim_token) cross join lateral (select g.payload from outrider.messages g where g.workspace_id = $1 and g.message_id = s.message_id offset 0) g`,
 anyIds: `select g.status from outrider.deliveries g where g.workspace_id = $1 and g.delivery_id = any($2) and $3::text is null`,
};
it('plans', async () => {
  await addWorkspace(database.admin, 'w');
  await addChannel(database.admin, 'w', 'c1');
  const client = await database.admin.connect();
  await client.query(set);
  await client.query('alter table outrider.deliveries drop constraint deliveries_pkey, add constraint deliveries_pkey primary key (workspace_id, delivery_id)');
  await client.query('alter table outrider.deliveries drop constraint a_delivery_carries_a_message; alter table outrider.messages drop constraint messages_pkey, add constraint messages_pkey primary key (workspace_id, message_id)');

  for (const n of [0, 3, 40, 3000]) {
  if (n) await addBacklog(database.admin, 'w', ['c1'], n);
  for (const [name, text] of Object.entries(variants)) {
    await client.query(`deallocate all; prepare p as ${text}`);
    const r = await client.query(`explain execute p('w', '{}', '{}')`);
    console.log(n, name + '\n' + r.rows.map((x) => x['QUERY PLAN']).join('\n'));
  }}
  client.release();
});
