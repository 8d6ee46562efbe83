create or replace function outrider.find_deliveries(p_workspace_id text, p_part text)
  returns table (delivery_id uuid, channel_id text, status text, created_at timestamptz)
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
declare
  v_always constant tstzrange := tstzrange(null, null);
  v_last constant bigint := 9223372036854775807;
  v_span record;
  v_channels text[];
begin
  perform outrider.require_workspace('find_deliveries', p_workspace_id);
  v_span := outrider.id_span('find_deliveries', p_part);
  v_channels := outrider.channels_of(p_workspace_id);

  return query
  select d.delivery_id, d.channel_id, d.status::text, d.created_at
  from (
    select f.delivery_id as id
    from (
      select x.delivery_id, x.workspace_id from outrider.deliveries x
      where x.delivery_id >= v_span.first and x.delivery_id <= v_span.last
      limit 10000
    ) f
    where f.workspace_id = p_workspace_id
    union
    select u.id
    from unnest(
      outrider.newest_of_channels(p_workspace_id, v_channels, null, v_always, v_last, 1000)
      || outrider.newest_failed(
        p_workspace_id, v_channels, '{failed_permanent,dead}', v_always, 'infinity', v_last, 1000)
    ) as u (id)
    where replace(u.id::text, '-', '') like '%' || v_span.digits
  ) m
  cross join lateral (
    select x.* from outrider.deliveries x where x.delivery_id = m.id
    offset 0 -- by the id alone, see next_steps
  ) d
  where d.workspace_id = p_workspace_id
  order by d.seq desc
  limit 10;
end;
$$;

comment on function outrider.find_deliveries is $doc$The deliveries of a workspace whose ids begin or end with p_part, for users who write only a part of an id.

Ids begin with the time and end with a number, so the ids of one post differ only at the end. Of ids that begin with
p_part, the first 10,000 of all workspaces are searched; for ids that end with it, the newest 1,000 deliveries and the
latest 1,000 failures.
Returns: at most 10, the newest first.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.find_deliveries to outrider_reader;
