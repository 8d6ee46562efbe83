-- What is wrong with a workspace's bots: messages whose turn is not done, sends of answers that fail, answers that are dead,
-- messages that no rule matches, chats that wait for a person, and an endpoint at which nothing comes in any more.
create or replace function outrider.bot_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language plpgsql
  stable
as $$
declare
  v_late record;
  v_errors record;
  v_dead record;
  v_turns record;
  v_waiting record;
begin
  select count(*) as count, min(i.received_at) as since into v_late from outrider.bot_inbox i
  where i.workspace_id = p_settings.workspace_id and i.turn_at is null and i.received_at <= p_now - interval '1 minute';
  if v_late.count > 0 then
    return next row(
      'bot_turns', null, 'critical',
      format('%s, the oldest for %s; outrider bot log shows what was done, and the log of ingest and bot says why the rest was not',
        case v_late.count when 1 then '1 message to the bot waits for its turn' else v_late.count || ' messages to the bot wait for their turn' end,
        outrider.span_in_words(p_now - v_late.since)),
      jsonb_build_object('count', v_late.count, 'since', v_late.since), null)::outrider.alert_condition;
  end if;

  select count(*) as count, mode() within group (order by l.meta #>> '{error,code}') as code into v_errors
  from outrider.bot_logs l
  where l.workspace_id = p_settings.workspace_id and l.ts > p_now - interval '10 minutes' and l.ts <= p_now
    and l.action in ('retry', 'failed', 'dead', 'lease_expired');
  if v_errors.count > p_settings.alert_bot_errors_over then
    return next row(
      'bot_errors', null, 'warning',
      format('%s sends of the bot''s answers failed within 10 minutes, most of them with %s; outrider bot log --errors lists them',
        v_errors.count, coalesce(v_errors.code, 'no code')),
      jsonb_build_object('count', v_errors.count, 'code', v_errors.code), null)::outrider.alert_condition;
  end if;

  select count(*) as count, count(distinct (o.provider, o.chat_id)) as chats, max(o.failed_at) as last_at,
    (array_agg(o.last_error ->> 'code' order by o.failed_at desc))[1] as code
  into v_dead
  from outrider.bot_outbox o
  where o.workspace_id = p_settings.workspace_id and o.failed_at > p_now - interval '1 day' and o.failed_at <= p_now
    and o.status = 'dead';
  if v_dead.count > 0 then
    return next row(
      'bot_dead_replies', null, 'critical',
      format('%s of the bot could not be sent within a day, in %s, the last one because of %s; outrider bot log --errors says which chats: write to these people yourself',
        case v_dead.count when 1 then '1 answer' else v_dead.count || ' answers' end,
        case v_dead.chats when 1 then '1 chat' else v_dead.chats || ' chats' end, coalesce(v_dead.code, 'an error')),
      jsonb_build_object('count', v_dead.count, 'chats', v_dead.chats), v_dead.last_at)::outrider.alert_condition;
  end if;

  select count(*) as count,
    count(*) filter (where l.matched_rule_id is null and l.action in ('clarified', 'fell_back', 'escalated')) as missed
  into v_turns
  from outrider.bot_logs l
  where l.workspace_id = p_settings.workspace_id and l.ts > p_now - interval '1 hour' and l.ts <= p_now
    and l.action in ('matched', 'asked_again', 'clarified', 'fell_back', 'escalated');
  if v_turns.count >= 20 and v_turns.missed > v_turns.count * p_settings.alert_bot_fallback_over then
    return next row(
      'bot_fallbacks', null, 'warning',
      format('no rule of the bot matches %s of the last %s messages; outrider bot unmatched shows what people ask',
        v_turns.missed, v_turns.count),
      jsonb_build_object('messages', v_turns.count, 'missed', v_turns.missed), null)::outrider.alert_condition;
  end if;

  select count(*) as count, min(s.handed_over_at) as since, array_agg(s.chat_id order by s.handed_over_at) as chats into v_waiting
  from outrider.bot_state s
  where s.workspace_id = p_settings.workspace_id and s.handed_over_at is not null
    and s.handed_over_at < p_now - p_settings.alert_bot_escalation_over and s.handed_over_until > p_now;
  if v_waiting.count > 0 then
    return next row(
      'bot_escalations', null, 'warning',
      format('%s for a person, the first one for %s (%s); answer there, then outrider bot resume <chat> --reason …',
        case v_waiting.count when 1 then '1 chat waits' else v_waiting.count || ' chats wait' end,
        outrider.span_in_words(p_now - v_waiting.since), outrider.some_names(v_waiting.chats)),
      jsonb_build_object('count', v_waiting.count, 'since', v_waiting.since, 'chats', v_waiting.chats[1:100]), null)::outrider.alert_condition;
  end if;

  return query
  select (row(
    'bot_silence', e.endpoint_id, 'warning',
    format('nothing has come in at the bot''s endpoint %s for %s; outrider bot status says whether the platform still calls it',
      outrider.excerpt(e.endpoint_id), outrider.span_in_words(p_now - l.since)),
    jsonb_build_object('endpoint_id', e.endpoint_id, 'since', l.since), null)::outrider.alert_condition).*
  from outrider.workspace_endpoints e
  cross join lateral (
    select coalesce((
      select i.received_at from outrider.bot_inbox i
      where i.workspace_id = e.workspace_id and i.endpoint_id = e.endpoint_id and i.received_at <= p_now
      order by i.received_at desc
      limit 1
    ), greatest(e.updated_at, (
      -- Messages may be kept for less time than the workspace wants to wait; the record of their turns is kept for longer.
      select t.ts from outrider.bot_logs t
      join outrider.credential_bindings b on b.workspace_id = e.workspace_id and b.auth_ref = e.auth_ref and b.platform = t.provider
      where t.workspace_id = e.workspace_id and t.ts <= p_now
        and t.action in ('matched', 'asked_again', 'clarified', 'fell_back', 'escalated', 'silent')
      order by t.ts desc
      limit 1
    ))) as since
  ) l
  where e.workspace_id = p_settings.workspace_id and e.kind = 'bot_webhook' and e.enabled
    and l.since < p_now - p_settings.alert_bot_silence_over
  order by e.endpoint_id;
end;
$$;
