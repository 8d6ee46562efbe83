-- The counts of a run, as they are recorded.
--
-- p_counts: how many channels are queued, deduped, validation_failed and not_routed, in this order.
create or replace function outrider.run_stats(p_accepted integer, p_rejected integer, p_counts integer[])
  returns jsonb
  language sql
  stable
  parallel safe
return jsonb_build_object(
    'accepted', p_accepted, 'rejected', p_rejected, 'queued', p_counts[1], 'deduped', p_counts[2],
    'validation_failed', p_counts[3], 'not_routed', p_counts[4]
  );
