create or replace function outrider.beat(
  p_service_id uuid,
  p_host text,
  p_pid bigint,
  p_version text,
  p_roles text[],
  p_ready boolean,
  p_facts jsonb,
  p_now timestamptz default clock_timestamp()
)
  returns void
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_service('beat', p_service_id, p_host, p_pid, p_version, p_roles);
  perform outrider.require_flag('beat', 'ready', p_ready);
  if jsonb_typeof(p_facts) is distinct from 'object' or length(p_facts::text) > 10000 then
    raise exception using errcode = 'OR001', message = 'beat: facts must be an object of at most 10000 characters';
  end if;
  perform outrider.require_time('beat', p_now);

  insert into outrider.service_heartbeats as h
    (service_id, host, pid, version, roles, started_at, seen_at, ready, facts)
  values (p_service_id, p_host, p_pid, p_version, p_roles, p_now, p_now, p_ready, outrider.mask_json(p_facts))
  on conflict (service_id) do update
  set seen_at = excluded.seen_at, started_at = least(h.started_at, excluded.seen_at), -- a clock may be set back
      ready = excluded.ready, facts = excluded.facts, roles = excluded.roles;
end;
$$;

comment on function outrider.beat is $doc$A sign of life of a process that runs roles; every process gives one every 10 seconds. When there is none for 30
seconds, an alert opens (silent_service).

p_facts: what the process knows about its machine and its work. {"store_refuses": "…"} says in words why it cannot keep
media, which opens an alert; {"alerts_not_evaluated": ["city"]} names workspaces whose alerts it could not evaluate three
times in a row, which show_workspace tells.
Raises: OR001.$doc$;

grant execute on function outrider.beat to outrider_service, outrider_publisher;
