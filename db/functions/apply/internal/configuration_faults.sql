-- Checks each thing of a document by itself: its id, each field against the type of its column, and its platform. The
-- constraints of the tables are checked later, when the rows are written.
--
-- Returns: a refused_change for each thing that has a fault.
create or replace function outrider.configuration_faults(p_document jsonb)
  returns setof jsonb
  language plpgsql
  stable
as $$
declare
  v_platforms constant text[] := array(select p.platform from outrider.platforms p order by p.platform);
begin
  return query
  select outrider.refused_change(x.kind, x.id, format('%s %s: %s', replace(x.kind, '_', ' '), outrider.excerpt(x.id), x.fault))
  from (
    select
      t.kind, t.id,
      case
        when t.name !~ '^[^[:cntrl:]]{1,128}$' then 'its id must have 1 to 128 characters and no line ends'
        else coalesce(
          outrider.configuration_fault(k.table_name, k.fields, t.fields),
          case when t.platform <> all (v_platforms)
            then format('platform %s is not known; there are %s', outrider.excerpt(t.platform), array_to_string(v_platforms, ', ')) end)
      end as fault
    from outrider.configured_things(p_document) as t
    join outrider.configuration_kinds() k on k.kind = t.kind
  ) x
  where x.fault is not null;
end;
$$;
