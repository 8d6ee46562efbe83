-- Changes of alerts in words: a line for each, or one for several of the same kind and change; the worst first. What does
-- not fit into a chat's message is counted.
create or replace function outrider.alert_message(
  p_workspace_id text,
  p_changes jsonb,
  out subject text,
  out body text
)
  language plpgsql
  stable
as $$
declare
  v_line record;
  v_left integer := 0;
begin
  select 'workspace ' || p_workspace_id || ': ' || string_agg(c.count || ' ' || c.name, ', ' order by c.place) into subject
  from (
    select n.name, n.place, count(*) as count
    from jsonb_array_elements(p_changes) e
    cross join lateral (
      select case when e.value ->> 'change' = 'resolved' then 'resolved' else e.value ->> 'severity' end as name,
        case when e.value ->> 'change' = 'resolved' then 9 else 3 - array_position(array['info', 'warning', 'critical'], e.value ->> 'severity') end as place
    ) n
    group by n.name, n.place
  ) c;

  body := 'Outrider, ' || subject;
  for v_line in
    select
      format(e'\n[%s] %s%s',
        case g.change when 'opened' then g.severity when 'repeated' then g.severity || ', still' else 'resolved' end,
        case when cardinality(g.subjects) > 1 and k.many is not null
          then format('%s %s: %s%s', cardinality(g.subjects), k.many, outrider.some_names(g.subjects),
            case when g.change <> 'resolved' then '; outrider alerts says what to do about each' end)
          when g.change = 'resolved' then split_part(g.summary, '; ', 1) -- without what is to be done
          else g.summary end,
        case when g.change <> 'resolved' then format(' (docs/runbook.md#%s)', g.kind) end) as words
    from (
      select e.value ->> 'kind' as kind, e.value ->> 'change' as change, e.value ->> 'severity' as severity,
        array_agg(e.value ->> 'subject' order by e.place) as subjects, (array_agg(e.value ->> 'summary' order by e.place desc))[1] as summary,
        min(e.place) as place
      from jsonb_array_elements(p_changes) with ordinality as e (value, place)
      group by 1, 2, 3
    ) g
    left join outrider.alert_kinds() k on k.kind = g.kind
    order by g.change = 'resolved', g.severity::outrider.alert_severity desc, g.place
  loop
    if length(body) + length(v_line.words) > 3500 then
      v_left := v_left + 1;
    else
      body := body || v_line.words;
    end if;
  end loop;
  if v_left > 0 then
    body := body || format(e'\n… and %s more: outrider alerts', v_left);
  end if;
end;
$$;
