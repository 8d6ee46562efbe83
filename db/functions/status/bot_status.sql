create or replace function outrider.bot_status(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns jsonb
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
  v_most constant integer := 10000;
  v_turns record;
  v_replies record;
  v_people record;
  v_hour record;
  v_failed integer;
begin
  perform outrider.require_workspace('bot_status', p_workspace_id);
  perform outrider.require_time('bot_status', p_now);

  select count(*)::integer as count, min(i.ts) as since into v_turns
  from (
    select x.ts from outrider.bot_inbox x where x.workspace_id = p_workspace_id and x.turn_at is null limit v_most
  ) i;
  select count(*)::integer as count, min(o.created_at) as since into v_replies
  from (
    select x.created_at from outrider.bot_outbox x
    where x.workspace_id = p_workspace_id and x.status in ('waiting', 'sending')
    limit v_most
  ) o;
  select count(*)::integer as count, min(s.handed_over_at) as since into v_people
  from (
    select x.handed_over_at from outrider.bot_state x
    where x.workspace_id = p_workspace_id and x.handed_over_at is not null and x.handed_over_until > p_now
    limit v_most
  ) s;
  select count(*) filter (where l.action in ('matched', 'asked_again', 'clarified', 'fell_back', 'escalated', 'silent'))::integer as messages,
    count(*) filter (where l.matched_rule_id is null and l.action in ('clarified', 'fell_back', 'escalated'))::integer as missed
  into v_hour
  from (
    select x.action, x.matched_rule_id from outrider.bot_logs x
    where x.workspace_id = p_workspace_id and x.ts > p_now - interval '1 hour' and x.ts <= p_now
    limit v_most
  ) l;
  select count(*)::integer into v_failed
  from (
    select from outrider.bot_outbox x
    where x.workspace_id = p_workspace_id and x.failed_at > p_now - interval '1 day' and x.failed_at <= p_now
    limit v_most
  ) o;

  return jsonb_build_object(
    'endpoints', (
      select count(*) from outrider.workspace_endpoints e
      where e.workspace_id = p_workspace_id and e.kind = 'bot_webhook' and e.enabled),
    'last_message_at', (
      select i.received_at from outrider.bot_inbox i
      where i.workspace_id = p_workspace_id and i.received_at <= p_now
      order by i.received_at desc
      limit 1),
    'waiting_turns', v_turns.count, 'waiting_replies', v_replies.count, 'oldest_reply_at', v_replies.since,
    'waiting_for_a_person', v_people.count, 'oldest_handover_at', v_people.since,
    'messages_last_hour', v_hour.messages, 'missed_last_hour', v_hour.missed, 'failed_last_day', v_failed
  );
end;
$$;

comment on function outrider.bot_status is $doc$How the bots of a workspace are doing: {endpoints, last_message_at, waiting_turns, waiting_replies, oldest_reply_at,
waiting_for_a_person, oldest_handover_at, messages_last_hour, missed_last_hour, failed_last_day}.

`endpoints` counts the enabled ones. `missed_last_hour` counts messages that no rule matched, `failed_last_day` answers that were
refused or given up. Counting stops at 10,000.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.bot_status to outrider_reader;
