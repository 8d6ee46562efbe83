-- Adds the events of the outbox that were published, or passed over, in a span of time to their counters.
create or replace function outrider.count_published(p_from timestamptz, p_to timestamptz)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_published bigint;
  v_skipped bigint;
begin
  -- An event that was passed over keeps the error that says so.
  select count(*) filter (where e.last_error is null), count(*) filter (where e.last_error is not null)
  into v_published, v_skipped
  from outrider.outbox_events e
  where e.published_at >= p_from and e.published_at < p_to;
  if v_published + v_skipped > 0 then
    update outrider.metrics_counted m
    set events_published = m.events_published + v_published, events_skipped = m.events_skipped + v_skipped
    where m.name = 'all';
  end if;
end;
$$;
