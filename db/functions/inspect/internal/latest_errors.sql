-- The latest errors of some channels since a time, the last one first: at most p_limit. Errors of a channel that say the
-- same are one row, with how many attempts had them and the delivery of the last. The latest 500 errors are searched.
create or replace function outrider.latest_errors(
  p_workspace_id text,
  p_channels text[],
  p_limit integer,
  p_since timestamptz,
  p_now timestamptz
)
  returns json
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'channel_id', t.channel_id, 'code', t.code, 'message', t.message, 'count', t.count, 'last_at', t.last_at,
      'delivery_id', t.delivery_id
    ) order by t.last_at desc, t.channel_id, t.code, t.message), '[]')
    from (
      select
        e.channel_id, e.code, e.message, max(e.ts) as last_at,
        (array_agg(e.delivery_id order by e.ts desc) filter (where e.delivery_id is not null))[1] as delivery_id,
        -- An attempt may write several events, such as its own failure and the pause of its channel.
        count(distinct coalesce(e.delivery_id || '/' || e.attempt, e.id::text)) as count
      from (
        select
          x.id, x.ts, x.channel_id, coalesce(x.delivery_id::text, x.meta ->> 'delivery_id') as delivery_id,
          coalesce(x.meta ->> 'attempt', x.attempt::text) as attempt, x.error ->> 'code' as code, x.error ->> 'message' as message
        from outrider.event_log x
        where x.workspace_id = p_workspace_id and x.ts >= p_since and x.ts <= p_now and x.result = 'error'
        order by x.ts desc
        limit 500
      ) e
      where e.channel_id = any (p_channels) and e.code is not null
      group by e.channel_id, e.code, e.message
      order by last_at desc, e.channel_id, e.code, e.message
      limit p_limit
    ) t
  );
end;
$$;
