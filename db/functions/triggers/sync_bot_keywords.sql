-- Keeps bot_keywords true to the rules: an enabled rule has its probes there, and no other has.
create or replace function outrider.sync_bot_keywords()
  returns trigger
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    delete from outrider.bot_keywords k
    where k.workspace_id = new.workspace_id and k.rule_id = new.rule_id and k.version = new.version;
  end if;
  if new.enabled then
    insert into outrider.bot_keywords (workspace_id, probe, rule_id, version, place, plain, stemmed)
    select new.workspace_id, p.probe, new.rule_id, new.version, p.place, p.plain, p.stemmed from outrider.probes_of_bot_rule(new) p;
  end if;
  return null;
end;
$$;

create or replace trigger bot_rules_sync_their_keywords
  after insert or update of enabled on outrider.bot_rules
  for each row
  execute function outrider.sync_bot_keywords();
