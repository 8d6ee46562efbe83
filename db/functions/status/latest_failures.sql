create or replace function outrider.latest_failures(
  p_workspace_id text,
  p_limit integer default 10,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    delivery_id uuid,
    channel_id text,
    status text,
    failed_at timestamptz,
    error_code text,
    error_message text,
    excerpt text
  )
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
  v_ids uuid[];
begin
  perform outrider.require_workspace('latest_failures', p_workspace_id);
  perform outrider.require_count('latest_failures', p_limit, 1000);
  perform outrider.require_time('latest_failures', p_now);

  v_ids := outrider.newest_failed(
    p_workspace_id, array(select c.channel_id from outrider.channels c where c.workspace_id = p_workspace_id),
    '{failed_permanent,dead}', '(,)', p_now, 9223372036854775807, p_limit);
  return query
  select
    d.delivery_id, d.channel_id, d.status::text, d.failed_at, d.last_error ->> 'code', d.last_error ->> 'message',
    outrider.post_excerpt(m.payload)
  from unnest(v_ids) with ordinality as i (delivery_id, place)
  cross join lateral (
    select x.* from outrider.deliveries x where x.delivery_id = i.delivery_id
    offset 0 -- by the id alone, see next_steps
  ) d
  cross join lateral (
    select y.workspace_id, y.payload from outrider.messages y where y.message_id = d.message_id
    offset 0
  ) m
  where d.workspace_id = p_workspace_id and m.workspace_id = p_workspace_id
  order by i.place;
end;
$$;

comment on function outrider.latest_failures is $doc$The deliveries of a workspace that failed last, for good or dead, the latest first.

Returns: at most p_limit rows. `excerpt` is the beginning of the post's title or text, without the markup of a platform; it is masked.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.latest_failures to outrider_reader;
