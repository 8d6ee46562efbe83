create or replace function outrider.list_send_times(p_workspace_id text, p_limit integer)
  returns table (platform text, sends bigint, quantiles_ms double precision[])
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('list_send_times', p_workspace_id);
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception using errcode = 'OR001',
      message = format('list_send_times: limit is %s; 1 to 1000 are allowed', coalesce(p_limit::text, 'missing'));
  end if;

  return query
  select
    t.platform, count(t.ms),
    percentile_disc(array[0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]::double precision[]) within group (order by t.ms)
  from (
    select c.platform, extract(epoch from d.sent_at - d.sending_started_at)::double precision * 1000 as ms
    from outrider.channels c
    left join lateral (
      select x.status, x.attempt, x.sent_at, x.sending_started_at, x.render_meta from outrider.deliveries x
      where x.workspace_id = c.workspace_id and x.channel_id = c.channel_id
      order by x.seq desc
      limit p_limit
    ) d on d.status = 'sent' and d.attempt = 1
      and coalesce(jsonb_array_length(d.render_meta -> 'parts'), 1) = 1
      and d.sent_at >= d.sending_started_at
    where c.workspace_id = p_workspace_id
  ) t
  group by t.platform
  order by t.platform;
end;
$$;

comment on function outrider.list_send_times is $doc$How long sends have taken lately on each platform, from their start to their commit, in milliseconds: the least, each
tenth, and the most. Of each channel the latest p_limit deliveries are looked at. What counts was sent at the first attempt
and in one part, so no wait for the slots of further calls is in it.
Returns: one row for each platform of its channels; `quantiles_ms` is null where no send counts.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_send_times to outrider_reader;
