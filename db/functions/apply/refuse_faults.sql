-- Refuses a document for all that is wrong with it.
--
-- A channel whose template is missing is not told of when a template was refused: that may be the one.
-- Raises: OR001; the message has a line for each fault.
create or replace function outrider.refuse_faults(p_changes jsonb[])
  returns void
  language plpgsql
  immutable
as $$
declare
  v_refused constant jsonb[] := array(select c from unnest(p_changes) as c where c ->> 'action' = 'refuse');
  v_told jsonb[];
begin
  if cardinality(v_refused) = 0 then
    return;
  end if;
  v_told := array(
    select r from unnest(v_refused) as r
    where not (
      r ->> 'fault' like 'channel %: template\_ref: %'
      and exists (select from unnest(v_refused) as t where t ->> 'kind' = 'template')
    ));
  raise exception using errcode = 'OR001',
    message = (select string_agg(t.change ->> 'fault', e'\n' order by t.n) from unnest(v_told) with ordinality as t (change, n)),
    hint = case when cardinality(v_told) = 1 then coalesce(v_told[1] ->> 'hint', '') else '' end;
end;
$$;
