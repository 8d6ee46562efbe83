-- Refuses to change a version of a bot's rule: the record names the version by which the bot answered, and that version must
-- stay as it was. It may be enabled and disabled.
--
-- Raises: OR003.
create or replace function outrider.refuse_bot_rule_change()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  raise exception using errcode = 'OR003',
    message = format('bot rule "%s", version %s, cannot be changed', old.rule_id, old.version),
    hint = 'Insert the next version, and enable it instead.';
end;
$$;

create or replace trigger bot_rules_never_change_a_version
  after update on outrider.bot_rules
  for each row
  when (to_jsonb(old) - 'enabled' is distinct from to_jsonb(new) - 'enabled')
  execute function outrider.refuse_bot_rule_change();
