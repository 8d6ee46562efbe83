-- The verdict on one channel, as callers of an enqueue read it.
create or replace function outrider.verdict_as_json(
  p_verdict text,
  p_channel_id text,
  p_delivery_id uuid,
  p_rule text,
  p_twin uuid,
  p_twin_status outrider.delivery_status,
  p_until timestamptz,
  p_not_before timestamptz,
  p_reason text,
  p_score numeric
)
  returns json
  language sql
  stable
  parallel safe
return case p_verdict
    when 'queued' then json_build_object(
      'channel_id', p_channel_id, 'verdict', p_verdict, 'delivery_id', p_delivery_id, 'not_before', p_not_before)
    when 'deduped' then case when p_score is not null then json_build_object(
      'channel_id', p_channel_id, 'verdict', p_verdict, 'because', 'similar', 'delivery_id', p_twin, 'until', p_until,
      'score', p_score, 'suppressed_id', p_delivery_id)
    else json_build_object(
      'channel_id', p_channel_id, 'verdict', p_verdict, 'because', case when p_twin_status = 'sent' then 'sent' else 'inflight' end,
      'delivery_id', p_twin, 'until', p_until) end
    when 'validation_failed' then json_build_object(
      'channel_id', p_channel_id, 'verdict', p_verdict, 'delivery_id', p_delivery_id, 'reason', p_reason)
    else json_build_object('channel_id', p_channel_id, 'verdict', p_verdict, 'rule', p_rule)
  end;
