-- Writes the receipts of a chunk's new items, and an event for each item that has a fault.
create or replace function outrider.take_pull_receipts(
  p_workspace_id text,
  p_source_id text,
  p_run_id text,
  p_item_refs text[],
  p_message_ids uuid[],
  p_verdicts json[],
  p_now timestamptz
)
  returns void
  language sql
  volatile
as $$
  insert into outrider.pull_receipts (workspace_id, source_id, item_ref, message_id, received_at)
  select p_workspace_id, p_source_id, u.item_ref, u.message_id, p_now
  from unnest(p_item_refs, p_message_ids) as u (item_ref, message_id);

  insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, error, meta)
  select
    p_workspace_id, gen_random_uuid(), p_now, 'validation_failed', 0, 'error',
    outrider.normal_error(jsonb_build_object(
      'category', 'PERMANENT', 'scope', 'delivery', 'code', 'validation_failed', 'message', u.verdict ->> 'reason')),
    outrider.mask_json(jsonb_build_object('run_id', p_run_id, 'source_id', p_source_id, 'item_ref', u.item_ref))
  from unnest(p_item_refs, p_verdicts) as u (item_ref, verdict)
  where u.verdict ->> 'verdict' = 'rejected';
$$;
