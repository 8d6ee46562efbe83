create or replace function outrider.enqueue_batch(
  p_workspace_id text,
  p_kind outrider.ingest_kind,
  p_items jsonb,
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
  v_settings outrider.intake_settings;
  v_posts jsonb[];
  v_taken record;
begin
  v_settings := outrider.require_intake('enqueue_batch', p_workspace_id, p_now);
  perform outrider.require_batch('enqueue_batch', 'items', p_items, p_now);
  if p_kind is null then
    raise exception using errcode = 'OR001', message = 'enqueue_batch: kind is missing; it is push or pull';
  end if;

  v_posts := array(select i.post from jsonb_array_elements(p_items) with ordinality as i (post, n) order by i.n);
  v_taken := outrider.enqueue_items(v_settings, v_run_id, v_posts,
    array(select outrider.payload_fault(p.post) from unnest(v_posts) with ordinality as p (post, n) order by p.n), p_now);
  return json_build_object(
    'run_id', outrider.record_run(p_workspace_id, v_run_id, p_kind, v_taken.stats, p_now),
    'items', array_to_json(v_taken.verdicts));
end;
$$;

comment on function outrider.enqueue_batch is $doc$Takes in many posts at once: the batch form of enqueue_messages_and_deliveries, without receipts.

A post with a fault is answered with that fault; the others are taken in all the same.
Returns: {run_id, items}. `items` has one object for each post, in the order given: {run_id, verdict: "accepted",
message_id, trace_id, seen, channels: [verdicts]}, with repeats_item instead of channels where the post repeats another
one of the batch; or {run_id, verdict: "rejected", reason}.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.enqueue_batch to outrider_ingest;
