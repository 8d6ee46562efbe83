-- What became of the deliveries to each of the first p_limit channels, as samples.
create or replace function outrider.channel_counter_samples(p_workspaces text[], p_limit integer)
  returns setof outrider.metric_sample
  language plpgsql
  stable
as $$
begin
  return query
  select
    'outrider_channel_deliveries_total',
    jsonb_build_object('workspace', c.workspace_id, 'platform', c.platform, 'channel', c.channel_id, 'outcome', m.label),
    m.value::double precision
  from outrider.metered_channels(p_workspaces, p_limit) c
  join outrider.metric_counters m
    on m.workspace_id = c.workspace_id and m.metric = 'outrider_deliveries_total' and m.platform = c.platform
      and m.channel_id = c.channel_id;
end;
$$;
