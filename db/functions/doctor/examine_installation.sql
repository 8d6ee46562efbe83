create or replace function outrider.examine_installation(p_now timestamptz default clock_timestamp())
  returns json
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_today constant date := (p_now at time zone 'UTC')::date;
  v_missing_days json;
  v_sequences json;
  v_services json;
  v_transaction record;
begin
  perform outrider.require_time('examine_installation', p_now);

  select coalesce(json_agg(d.day order by d.day), '[]') into v_missing_days
  from (select v_today + ahead as day from generate_series(0, 2) ahead) d
  where to_regclass('outrider.' || outrider.event_partition(d.day)) is null;

  select coalesce(json_agg(json_build_object(
    'name', s.sequencename, 'used', s.last_value::double precision / s.max_value) order by s.sequencename), '[]')
  into v_sequences
  from pg_sequences s
  where s.schemaname = 'outrider' and s.last_value is not null and s.increment_by > 0;

  select coalesce(json_agg(json_build_object(
    'host', h.host, 'pid', h.pid, 'version', h.version, 'roles', h.roles, 'seen_at', h.seen_at, 'ready', h.ready,
    'store_refuses', h.facts ->> 'store_refuses') order by h.host, h.pid), '[]')
  into v_services
  from (
    select distinct on (x.host, x.roles, x.pid) x.* from outrider.service_heartbeats x
    where x.seen_at > p_now - interval '1 day'
      and not exists (
        select from outrider.service_heartbeats y
        where y.host = x.host and y.roles = x.roles and y.started_at >= x.seen_at and y.service_id <> x.service_id)
    order by x.host, x.roles, x.pid, x.seen_at desc
  ) h;

  v_transaction := outrider.oldest_transaction();
  return json_build_object(
    'now', p_now,
    'missing_days', v_missing_days,
    'stray_events', (select count(*) from (select from outrider.events_default limit 1000) e),
    'sequences', v_sequences,
    'services', v_services,
    'oldest_transaction', json_build_object(
      'is_known', v_transaction.is_known, 'since', v_transaction.since, 'pid', v_transaction.pid,
      'login', v_transaction.login, 'application', v_transaction.application),
    'unpublished_since', (
      select e.created_at from outrider.outbox_events e where e.published_at is null order by e.created_at, e.id limit 1)
  );
end;
$$;

comment on function outrider.examine_installation is $doc$What outrider doctor has to know of an installation, as far as only its owner can see it.

Returns: {now, missing_days, stray_events, sequences [{name, used}], services [{host, pid, version, roles, seen_at, ready,
store_refuses}], oldest_transaction {is_known, since, pid, login, application}, unpublished_since}. missing_days are the
days, of today and the next two, that have no partition for their events. stray_events counts events in the default
partition, up to 1000. `used` is the share of its numbers that a sequence has given out. A service is listed for a day
after its last sign of life; one that crashed is forgotten when a newer one with the same roles runs on the same host.
oldest_transaction is as in health_snapshot. unpublished_since is the time of the oldest unpublished event of the outbox.
Raises: OR001.$doc$;

grant execute on function outrider.examine_installation to outrider_service;
