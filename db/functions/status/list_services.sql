create or replace function outrider.list_services(p_now timestamptz default clock_timestamp())
  returns table (
    service_id uuid,
    host text,
    pid bigint,
    version text,
    roles text[],
    state text,
    started_at timestamptz,
    seen_at timestamptz,
    store_refuses text
  )
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_time('list_services', p_now);

  return query
  select h.service_id, h.host, h.pid, h.version, h.roles,
    case when h.seen_at < p_now - interval '30 seconds' then 'silent' when h.ready then 'ready' else 'not_ready' end,
    h.started_at, h.seen_at, h.facts ->> 'store_refuses'
  from outrider.service_heartbeats h
  where h.seen_at > p_now - interval '1 day' and not outrider.is_started_again(h, p_now)
  order by h.host, h.started_at, h.service_id;
end;
$$;

comment on function outrider.list_services is $doc$The processes that run roles, by their signs of life. For Outrider's own processes: a tenant knows its own workspace.

Returns: one row for each process that gave a sign of life within a day, has not stopped in order and was not started again. `state` is ready;
not_ready, when one of its roles does not do its work; or silent, when it has said nothing for 30 seconds. `store_refuses` says
in words why it cannot keep media; null when it can.
Raises: OR001.$doc$;

grant execute on function outrider.list_services to outrider_service;
