-- Refuses a rule that could never work: a turn that uses it would have to guess.
--
-- Raises: OR001, with the fault in words.
create or replace function outrider.refuse_bad_bot_rule()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_fault text := outrider.bot_rule_fault(new);
begin
  if v_fault is not null then
    raise exception using errcode = 'OR001', message = format('bot rule "%s": %s', new.rule_id, v_fault);
  end if;
  return null;
end;
$$;

create or replace trigger bot_rules_can_work
  after insert on outrider.bot_rules
  for each row
  execute function outrider.refuse_bad_bot_rule();
