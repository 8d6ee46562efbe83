-- The ids of unpublished events that failed, of one type or of all, the latest failure first.
--
-- Raises: OR001 for a p_before that has not failed.
create or replace function outrider.latest_failed_events(
  p_event_type outrider.event_type_enum,
  p_limit integer,
  p_before uuid
)
  returns uuid[]
  language plpgsql
  stable
  set enable_sort = off
as $$
declare
  v_failed_at timestamptz := timestamptz 'infinity';
begin
  if p_before is not null then
    select b.failed_at into v_failed_at from outrider.outbox_backoff b where b.event_id = p_before;
    if v_failed_at is null then
      raise exception using errcode = 'OR001',
        message = format('list_outbox_events: before is %s, which has not failed, or no longer; start from the top', p_before);
    end if;
  end if;
  return array(
    select f.event_id
    from (
      select b.event_id, b.failed_at from outrider.outbox_backoff b
      where b.failed_at is not null
        and (b.failed_at, b.event_id) < (v_failed_at, coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      order by b.failed_at desc, b.event_id desc
      limit 20000
    ) f
    cross join lateral (
      select x.event_type from outrider.outbox_events x
      where x.id = f.event_id
      offset 0
    ) e
    where p_event_type is null or e.event_type = p_event_type
    order by f.failed_at desc, f.event_id desc
    limit p_limit
  );
end;
$$;
