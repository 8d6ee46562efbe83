-- How the first p_limit pull sources of workspaces are doing, as samples.
create or replace function outrider.source_samples(p_workspaces text[], p_limit integer, p_now timestamptz)
  returns setof outrider.metric_sample
  language plpgsql
  stable
as $$
begin
  return query
  select v.metric, jsonb_build_object('workspace', s.workspace_id, 'source', s.source_id), v.value
  from (
    select x.workspace_id, x.source_id, c.items_taken, c.failures, c.pulled_at
    from unnest(p_workspaces) with ordinality as w (workspace_id, place)
    join outrider.pull_sources x on x.workspace_id = w.workspace_id
    join outrider.pull_cursors c on c.workspace_id = x.workspace_id and c.source_id = x.source_id
    order by w.place, x.created_at, x.source_id
    limit p_limit
  ) s
  cross join lateral (values
    ('outrider_pull_items_total', s.items_taken::double precision),
    ('outrider_pull_failures', s.failures::double precision),
    ('outrider_pull_age_seconds', greatest(0, extract(epoch from p_now - s.pulled_at))::double precision)
  ) as v (metric, value)
  where v.value is not null;
end;
$$;
