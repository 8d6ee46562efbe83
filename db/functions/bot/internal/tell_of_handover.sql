-- Tells the alert targets of a workspace that a chat was handed over, with the latest of its dialogue, as it is in bot_logs:
-- masked. The id of the chat is not masked, whatever it looks like. Each line of the dialogue begins with who says it, so that
-- nobody can write what looks like ours. Handovers that nobody has begun to tell go out in one message.
--
-- Concurrency: waits for no notification; takes a key-share lock on each target.
create or replace function outrider.tell_of_handover(p_update outrider.bot_inbox, p_why text, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_subject constant text := format('workspace %s: a chat waits for a person', p_update.workspace_id);
  v_options constant text := format('--platform %s --workspace %s --reason …', p_update.provider, p_update.workspace_id);
  v_breaks constant text := '[\n\r\v\f\u0085\u2028\u2029]+';
  v_dialogue text;
  v_body text;
  v_target text;
  v_waiting uuid;
begin
  select string_agg(concat_ws(e'\n',
      '> ' || regexp_replace(left(d.message_text, 300), v_breaks, e'\n> ', 'g'),
      '< ' || regexp_replace(left(d.response_preview, 300), v_breaks, e'\n< ', 'g')), e'\n' order by d.ts, d.id)
  into v_dialogue
  from (
    select l.ts, l.id, l.message_text, l.response_preview from outrider.bot_logs l
    where l.workspace_id = p_update.workspace_id and l.provider = p_update.provider and l.chat_id = p_update.chat_id
      and l.ts > p_now - interval '1 day'
    order by l.ts desc, l.id desc
    limit 10
  ) d;
  if length(v_dialogue) > 2400 then
    v_dialogue := regexp_replace(right(v_dialogue, 2400), '^[^\n]*\n', '');
  end if;
  v_body := format(e'%s chat %s%s waits for a person: %s\n%s\nWhen it is answered: outrider bot resume %s',
    p_update.provider, p_update.chat_id,
    coalesce(format(' (%s)', regexp_replace(left(outrider.mask_bot_text(p_update.sender ->> 'name'), 100), v_breaks, ' ', 'g')), ''),
    outrider.mask_bot_text(p_why), v_dialogue,
    -- An id that begins with a minus would be taken for an option.
    case when starts_with(p_update.chat_id, '-') then format('%s -- %s', v_options, p_update.chat_id)
      else format('%s %s', p_update.chat_id, v_options) end);

  for v_target in
    select t.alert_target_id from outrider.alert_targets t
    where t.workspace_id = p_update.workspace_id and t.enabled and t.min_severity <= 'warning'
    order by t.alert_target_id
  loop
    select n.notification_id into v_waiting from outrider.alert_notifications n
    where n.workspace_id = p_update.workspace_id and n.alert_target_id = v_target and n.status <> 'sent'
      and n.status = 'queued' and n.attempts = 0 and n.claim_token is null and n.subject = v_subject
      and length(n.body) + length(v_body) < 3500
    order by n.created_at desc
    limit 1
    for update skip locked;
    if found then
      update outrider.alert_notifications n set body = n.body || e'\n\n' || v_body
      where n.workspace_id = p_update.workspace_id and n.notification_id = v_waiting;
    else
      insert into outrider.alert_notifications
        (workspace_id, notification_id, alert_target_id, next_try_at, created_at, changes, subject, body)
      values (p_update.workspace_id, gen_random_uuid(), v_target, p_now, p_now, '[]', v_subject, v_body);
    end if;
  end loop;
end;
$$;
