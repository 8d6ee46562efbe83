-- Finds everything that is wrong with a row that is to be written: fields that are missing, check constraints that it
-- violates and, for a channel, a time zone or a template that does not exist, or links that its platform does not take; for
-- a rule of a bot, what keeps it from working; for settings, texts of the bot that are no templates. Each field is reported
-- once.
--
-- p_row: the row as it is to be, without the columns that get their defaults. Constraints on those columns hold and are
-- not checked. Neither are unique and foreign keys, which depend on other rows.
create or replace function outrider.row_faults(p_kind text, p_row jsonb)
  returns setof text
  language plpgsql
  stable
as $$
declare
  v_table_name text;
  v_fields text[];
  v_table regclass;
  v_faults text[];
  v_name text;
  v_expression text;
  v_holds boolean;
begin
  select k.table_name, k.fields into v_table_name, v_fields from outrider.configuration_kinds() k where k.kind = p_kind;
  v_table := format('outrider.%I', v_table_name)::regclass;

  v_faults := array(
    select outrider.constraint_in_words(null, a.attname::text) from pg_attribute a
    where a.attrelid = v_table and a.attname = any (v_fields) and a.attnotnull and not a.atthasdef
      and p_row ->> a.attname is null
      and a.attname <> 'rate_group' -- when it is missing, it is the auth_ref
    order by a.attnum);
  for v_name, v_expression in
    select c.conname::text, pg_get_expr(c.conbin, c.conrelid) from pg_constraint c
    where c.conrelid = v_table and c.contype = 'c' and not exists (
      select from pg_attribute a
      where a.attrelid = c.conrelid and a.attnum = any (c.conkey) and a.atthasdef and not p_row ? a.attname)
    order by c.conname -- the order in which PostgreSQL checks them
  loop
    -- The expression is that of the constraint, and no part of the document:
    -- @plpgsql_check_options: security_warnings = false
    execute format('select %s from jsonb_populate_record(null::outrider.%I, $1)', v_expression, v_table_name)
      into v_holds using p_row;
    if not v_holds then
      v_faults := v_faults || outrider.constraint_in_words(v_name, null);
    end if;
  end loop;
  if p_kind = 'bot_rule' and v_faults = '{}' then
    v_faults := v_faults || outrider.bot_rule_fault(jsonb_populate_record(null::outrider.bot_rules, p_row));
  end if;
  if p_kind = 'settings' then
    v_faults := v_faults || outrider.bot_texts_fault(p_row ->> 'bot_fallback', p_row ->> 'bot_clarify', p_row ->> 'bot_escalation_text');
  end if;
  if p_kind = 'channel' then
    v_faults := v_faults || outrider.timezone_fault(p_row ->> 'timezone')
      || outrider.upload_policy_fault(p_row ->> 'platform', p_row -> 'settings')
      || ('template_ref: ' || outrider.template_ref_fault(p_row ->> 'workspace_id', p_row ->> 'template_ref'));
  end if;

  return query
  select f.fault
  from unnest(v_faults) with ordinality as f (fault, n)
  where f.fault is not null and not exists (
    select from unnest(v_faults) with ordinality as e (fault, n)
    where e.n < f.n and rtrim(split_part(e.fault, ' ', 1), ':') = rtrim(split_part(f.fault, ' ', 1), ':'));
end;
$$;
