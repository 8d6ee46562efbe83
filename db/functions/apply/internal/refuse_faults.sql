-- Refuses a document, if it has any faults, with all of them.
--
-- When a template was refused, a channel whose template is missing is not reported: it may name the refused one.
-- Raises: OR001; the message has a line for each fault.
create or replace function outrider.refuse_faults(p_changes jsonb[])
  returns void
  language plpgsql
  immutable
as $$
declare
  v_has_refused_template constant boolean := exists (
    select from unnest(p_changes) as c where c ->> 'action' = 'refuse' and c ->> 'kind' = 'template');
  v_faults text[];
  v_hint text;
begin
  select array_agg(f.fault order by c.n, f.n), max(c.change ->> 'hint') into v_faults, v_hint
  from unnest(p_changes) with ordinality as c (change, n)
  cross join regexp_split_to_table(c.change ->> 'fault', e'\n') with ordinality as f (fault, n)
  where c.change ->> 'action' = 'refuse'
    and not (v_has_refused_template and f.fault like 'channel %: template\_ref: %');
  if v_faults is null then
    return;
  end if;
  raise exception using errcode = 'OR001',
    message = array_to_string(v_faults, e'\n'),
    hint = case when cardinality(v_faults) = 1 then coalesce(v_hint, '') else '' end;
end;
$$;
