-- What belongs to no workspace, as samples: processes, the outbox, transactions, and how late senders and counters are.
create or replace function outrider.installation_samples(p_now timestamptz)
  returns setof outrider.metric_sample
  language plpgsql
  stable
as $$
declare
  v_none constant jsonb := jsonb_build_object();
  v_counted outrider.metrics_counted;
  v_transaction record;
begin
  return query
  select 'outrider_services', jsonb_build_object('state', s.state), count(h.service_id)::double precision
  from (values ('ready'), ('not_ready'), ('silent')) as s (state)
  left join outrider.service_heartbeats h
    on h.seen_at > p_now - interval '1 day' and not outrider.is_started_again(h, p_now)
      and s.state = case
        when h.seen_at < p_now - interval '30 seconds' then 'silent' when h.ready then 'ready' else 'not_ready' end
  group by s.state;

  return query
  select 'outrider_leases_expired_deliveries', v_none, coalesce(sum(l.open_count), 0)::double precision
  from outrider.leases l where l.lease_until < p_now;

  return query
  select 'outrider_dispatch_lag_seconds', v_none, coalesce(greatest(0, d.seconds), 0) from outrider.dispatch_lag(p_now) d;

  select m.* into v_counted from outrider.metrics_counted m where m.name = 'all';
  return query
  select v.metric, v.labels, v.value
  from (values
    ('outrider_outbox_events_total', jsonb_build_object('outcome', 'published'), coalesce(v_counted.events_published, 0)::double precision),
    ('outrider_outbox_events_total', jsonb_build_object('outcome', 'skipped'), coalesce(v_counted.events_skipped, 0)::double precision),
    ('outrider_counters_behind_seconds', v_none,
      greatest(0, extract(epoch from p_now - v_counted.counted_to))::double precision)
  ) as v (metric, labels, value)
  where v.value is not null;

  return query
  select 'outrider_outbox_unpublished_events', v_none, count(*)::double precision
  from (select from outrider.outbox_events e where e.published_at is null order by e.created_at limit 100000) x;
  return query
  select 'outrider_outbox_failing_events', v_none, count(*)::double precision
  from (select from outrider.outbox_backoff b where b.failed_at is not null order by b.failed_at, b.event_id limit 100000) x;
  return query
  select 'outrider_outbox_oldest_unpublished_seconds', v_none,
    coalesce(greatest(0, extract(epoch from p_now - (
      select e.created_at from outrider.outbox_events e
      where e.published_at is null order by e.created_at, e.id limit 1))), 0)::double precision;

  v_transaction := outrider.oldest_transaction();
  return query
  select 'outrider_oldest_transaction_seconds', v_none,
    coalesce(greatest(0, extract(epoch from clock_timestamp() - v_transaction.since)), 0)::double precision
  where v_transaction.is_known;
end;
$$;
