-- The commonest errors of a workspace since a time, at most five. For each: its code, how many attempts had it, and the
-- time, channel and message of the last one. The latest 10,000 errors are searched.
create or replace function outrider.recent_errors(p_workspace_id text, p_since timestamptz, p_now timestamptz)
  returns json
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', t.code, 'count', t.count, 'last_at', t.last_at, 'channel_id', t.channel_id, 'message', t.message
    ) order by t.count desc, t.code), '[]')
    from (
      select
        e.code, max(e.ts) as last_at, (array_agg(e.channel_id order by e.ts desc))[1] as channel_id,
        (array_agg(e.message order by e.ts desc))[1] as message,
        -- An attempt may write several events, such as its own failure and the pause of its channel.
        count(distinct e.attempt) as count
      from (
        select
          coalesce(x.delivery_id::text || '/' || x.attempt, (x.meta ->> 'delivery_id') || '/' || (x.meta ->> 'attempt'), x.id::text)
            as attempt,
          x.ts, x.channel_id, x.error ->> 'code' as code, x.error ->> 'message' as message
        from outrider.event_log x
        where x.workspace_id = p_workspace_id and x.ts >= p_since and x.ts <= p_now and x.result = 'error'
        order by x.ts desc
        limit 10000
      ) e
      where e.code is not null
      group by e.code
      order by count desc, e.code
      limit 5
    ) t
  );
end;
$$;
