-- Refuses settings of a bot that are no templates.
--
-- Raises: OR001, with the fault in words.
create or replace function outrider.refuse_bad_bot_texts()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_fault text := outrider.bot_texts_fault(new.bot_fallback, new.bot_clarify, new.bot_escalation_text);
begin
  if v_fault is not null then
    raise exception using errcode = 'OR001', message = format('settings "%s": %s', new.workspace_id, v_fault);
  end if;
  return null;
end;
$$;

create or replace trigger bot_texts_are_templates
  after insert or update of bot_fallback, bot_clarify, bot_escalation_text on outrider.workspace_settings
  for each row
  execute function outrider.refuse_bad_bot_texts();
