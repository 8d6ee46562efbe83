-- What is wrong with the installation as a whole: services that give no sign of life, an outbox that lags, a transaction
-- that somebody has left open, media that cannot be kept.
--
-- A service that crashed is forgotten when a newer one with the same roles runs on the same host.
create or replace function outrider.installation_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language plpgsql
  stable
as $$
declare
  v_silent_since constant timestamptz := p_now - interval '30 seconds';
  v_oldest timestamptz;
  v_transaction record;
begin
  return query
  select (row(
    'silent_service', format('%s on %s', array_to_string(h.roles, ', '), h.host), 'critical',
    format('the process that runs %s on %s (process %s) has given no sign of life for %s; look at its log, and start it again',
      array_to_string(h.roles, ', '), h.host, h.pid, outrider.span_in_words(p_now - h.seen_at)),
    jsonb_build_object('host', h.host, 'pid', h.pid, 'roles', h.roles, 'version', h.version, 'seen_at', h.seen_at),
    null)::outrider.alert_condition).*
  from (
    select distinct on (x.host, x.roles) x.* from outrider.service_heartbeats x
    where x.seen_at < v_silent_since and x.seen_at > p_now - interval '1 day'
      and not outrider.is_started_again(x, p_now)
    order by x.host, x.roles, x.seen_at desc
  ) h;

  return query
  select (row(
    'store_refuses', format('%s on %s', array_to_string(h.roles, ', '), h.host), 'critical',
    format('%s on %s: %s', array_to_string(h.roles, ', '), h.host, h.facts ->> 'store_refuses'),
    jsonb_build_object('host', h.host, 'roles', h.roles), null)::outrider.alert_condition).*
  from (
    select distinct on (x.host, x.roles) x.* from outrider.service_heartbeats x
    where x.seen_at >= v_silent_since and x.facts ->> 'store_refuses' is not null
    order by x.host, x.roles, x.seen_at desc
  ) h;

  select e.created_at into v_oldest from outrider.outbox_events e
  where e.published_at is null
  order by e.created_at, e.id
  limit 1;
  if v_oldest < p_now - p_settings.alert_outbox_lag_over then
    return next row(
      'outbox_lag', null, 'warning',
      format('the oldest event of the outbox has waited for %s; outrider outbox status says what waits', outrider.span_in_words(p_now - v_oldest)),
      jsonb_build_object('oldest_at', v_oldest), null)::outrider.alert_condition;
  end if;

  v_transaction := outrider.oldest_transaction();
  if v_transaction.since < p_now - p_settings.alert_open_transaction_over then
    return next row(
      'open_transaction', null, 'warning',
      format('a transaction has been open for %1$s (process %2$s of PostgreSQL, login %3$s, application %4$s); nothing is cleaned up meanwhile, so end it where it comes from, or with select pg_terminate_backend(%2$s)',
        outrider.span_in_words(p_now - v_transaction.since), v_transaction.pid, v_transaction.login,
        outrider.excerpt(v_transaction.application)),
      jsonb_build_object('since', v_transaction.since, 'pid', v_transaction.pid, 'login', v_transaction.login,
        'application', v_transaction.application), null)::outrider.alert_condition;
  end if;
end;
$$;
