create or replace function outrider.ingest_pull_chunk(
  p_workspace_id text,
  p_source_id text,
  p_items jsonb,
  p_cursor_to jsonb,
  p_lease_token uuid default null,
  p_next_pull_at timestamptz default null,
  p_held_item text default null,
  p_lease interval default interval '1 minute',
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_run_id constant text := gen_random_uuid()::text;
  v_refs text[];
  v_taken text[];
  v_new text[];
  v_posts jsonb[];
  v_cursor outrider.pull_cursors;
  v_settings outrider.intake_settings;
  v_run record;
begin
  v_settings := outrider.require_intake('ingest_pull_chunk', p_workspace_id, p_now);
  perform outrider.require_pull_source('ingest_pull_chunk', p_workspace_id, p_source_id);
  perform outrider.require_pull_items(p_items, p_cursor_to);
  perform outrider.require_pull_step(p_lease_token, p_next_pull_at, p_held_item, p_lease);

  select c.* into v_cursor from outrider.pull_cursors c
  where c.workspace_id = p_workspace_id and c.source_id = p_source_id
  for no key update;
  perform outrider.require_pull_lease('ingest_pull_chunk', v_cursor, p_lease_token, p_now);

  v_refs := array(select i.item ->> 'item_ref' from jsonb_array_elements(p_items) with ordinality as i (item, n) order by i.n);
  v_taken := array(
    select r.item_ref from outrider.pull_receipts r
    where r.workspace_id = p_workspace_id and r.source_id = p_source_id and r.item_ref = any (v_refs));
  -- An item that is in the chunk twice is taken once.
  v_new := array(
    select x.item_ref from (
      select u.item_ref, min(u.n) as n from unnest(v_refs) with ordinality as u (item_ref, n)
      where u.item_ref <> all (v_taken) group by u.item_ref
    ) x
    order by x.n);

  v_posts := array(
    select p_items -> (array_position(v_refs, u.item_ref) - 1) -> 'payload'
    from unnest(v_new) with ordinality as u (item_ref, n) order by u.n);
  v_run := outrider.enqueue_items(v_settings, v_run_id, v_posts,
    array(select outrider.payload_fault(p.post) from unnest(v_posts) with ordinality as p (post, n) order by p.n), p_now);
  perform outrider.take_pull_receipts(p_workspace_id, p_source_id, v_run_id, v_new, v_run.message_ids, v_run.verdicts, p_now);

  perform outrider.move_pull_cursor(v_cursor, cardinality(v_new), p_cursor_to, p_lease_token, p_next_pull_at, p_held_item,
    p_lease, p_now);
  perform outrider.record_run(p_workspace_id, v_run_id, 'pull',
    v_run.stats || jsonb_strip_nulls(jsonb_build_object(
      'source_id', p_source_id, 'already_taken', cardinality(v_refs) - cardinality(v_new), 'held_item', p_held_item,
      'media_left_out', outrider.note_left_out(p_workspace_id, p_source_id, v_run_id, p_items, v_new, v_run.message_ids, p_now))),
    p_now);

  return json_build_object('run_id', v_run_id, 'items', array_to_json(array(
    select
      case when array_position(v_refs, u.item_ref) = u.n and u.item_ref = any (v_new) then
        (jsonb_build_object('item_ref', u.item_ref) || v_run.verdicts[array_position(v_new, u.item_ref)]::jsonb)::json
      else json_build_object('item_ref', u.item_ref, 'verdict', 'already_taken')
      end
    from unnest(v_refs) with ordinality as u (item_ref, n)
    order by u.n
  )));
end;
$$;

comment on function outrider.ingest_pull_chunk is $doc$Takes in a chunk of a pull source and moves the source's cursor, in one transaction: a failure advances nothing.
An item is taken once and never again.

p_items: [{item_ref, payload, left_out?}], oldest first; payload is a post. An item with a fault is answered with that
fault and recorded, and counts as taken. left_out names media that could not be fetched, [{path, reason}]: the post comes
without them, and each leaves an event `media_left_out`.
p_cursor_to: kept as it is; null leaves the cursor unchanged.
p_lease_token: of the puller's lease (claim_pull_source). Null is for programs that pull without a lease; they are refused
while somebody holds one.
p_next_pull_at: with it the pull ends, the lease too, and the source is due again at that time. Null: there is more to
come, and the lease is extended to now plus p_lease. Without a token the pull ends with the chunk, and null leaves the time.
p_held_item: the item before which the pull ends, because a medium of it cannot be fetched for now.
Concurrency: chunks of one source are taken in one after the other.
Returns: {run_id, items}. `items` has one object for each item, in the order given: {item_ref, verdict:
"already_taken"}, or what enqueue_batch answers for its post, with item_ref.
Raises: OR001, OR002, OR003, OR005 when the lease is lost, or another has one.$doc$;

grant execute on function outrider.ingest_pull_chunk to outrider_ingest;
