create or replace function outrider.show_delivery(
  p_workspace_id text,
  p_delivery_id uuid,
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_delivery outrider.deliveries;
  v_channel outrider.channels;
  v_message outrider.messages;
  v_group outrider.platform_limits;
  v_gate record;
begin
  perform outrider.require_delivery('show_delivery', p_workspace_id, p_delivery_id);
  perform outrider.require_time('show_delivery', p_now);

  select x.* into v_delivery
  from (select y.* from outrider.deliveries y where y.delivery_id = p_delivery_id offset 0) x -- see next_steps
  where x.workspace_id = p_workspace_id;
  select x.* into v_channel from outrider.channels x where x.workspace_id = p_workspace_id and x.channel_id = v_delivery.channel_id;
  select x.* into v_message
  from (select y.* from outrider.messages y where y.message_id = v_delivery.message_id offset 0) x
  where x.workspace_id = p_workspace_id;
  select x.* into v_group from outrider.platform_limits x
  where x.workspace_id = p_workspace_id and x.platform = v_channel.platform and x.rate_group = v_channel.rate_group;
  v_gate := outrider.channel_gate(v_channel, v_group, p_now);

  return json_build_object(
    'delivery', json_build_object(
      'delivery_id', v_delivery.delivery_id, 'status', v_delivery.status,
      'attempt', v_delivery.attempt, 'attempt_limit', v_delivery.attempt_limit,
      'waited_ms', (extract(epoch from v_delivery.waited) * 1000)::bigint,
      'outcome_unknown', v_delivery.outcome_unknown, 'occurrence', v_delivery.occurrence,
      'created_at', v_delivery.created_at, 'scheduled_for', v_delivery.scheduled_for,
      'not_before', v_delivery.not_before, 'next_retry_at', v_delivery.next_retry_at,
      'sending_started_at', v_delivery.sending_started_at, 'sent_at', v_delivery.sent_at,
      'failed_at', v_delivery.failed_at, 'provider_message_id', v_delivery.provider_message_id,
      'last_error', v_delivery.last_error, 'trace_id', v_delivery.trace_id,
      'template_version', v_delivery.template_version, 'rendered_text', v_delivery.rendered_text,
      'shown_text', outrider.shown_text(v_delivery, v_channel.platform),
      'parts', outrider.parts_of_delivery(v_delivery)
    ),
    'channel', json_build_object(
      'channel_id', v_channel.channel_id, 'platform', v_channel.platform, 'title', v_channel.title,
      'target_id', v_channel.target_id, 'rate_group', v_channel.rate_group,
      'state', v_gate.state, 'state_until', v_gate.until, 'state_reason', v_gate.reason
    ),
    'message', json_build_object(
      'message_id', v_message.message_id, 'created_at', v_message.created_at, 'seen_count', v_message.seen_count,
      'tags', v_message.tags, 'source', v_message.source, 'source_ref', v_message.source_ref, 'payload', v_message.payload
    ),
    'next', outrider.what_is_next(v_delivery, v_gate.state, v_gate.until, v_gate.reason, p_now),
    'events', outrider.timeline(v_delivery)
  );
end;
$$;

comment on function outrider.show_delivery is $doc$All about one delivery: what it is, where it goes, what it carries, what happened to it and what comes next.

Returns: {delivery, channel, message, next, events}. `delivery.shown_text` is the text without markup, as people read it. `next` is null when the delivery has ended, otherwise {because, at,
reason?, ahead?}: `because`, `at` and `reason` are as list_deliveries has them, `ahead` is how many deliveries of the
channel go first, counted up to 10,000. `events` has the latest 500, oldest first, and what the failures among them
meant for the channel and its rate group.
Raises: OR001, OR002 when there is no such delivery, OR003.$doc$;

grant execute on function outrider.show_delivery to outrider_reader;
