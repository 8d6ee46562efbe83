-- The ids of unpublished events, of one type or of all, the newest first.
create or replace function outrider.newest_unpublished_events(
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
  v_created_at timestamptz := timestamptz 'infinity';
begin
  if p_before is not null then
    select e.created_at into v_created_at from outrider.outbox_events e where e.id = p_before;
  end if;
  return array(
    select n.id
    from (
      select e.id, e.created_at, e.event_type from outrider.outbox_events e
      where e.published_at is null
        and (e.created_at, e.id) < (v_created_at, coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      order by e.created_at desc, e.id desc
      limit 20000
    ) n
    where p_event_type is null or n.event_type = p_event_type
    order by n.created_at desc, n.id desc
    limit p_limit
  );
end;
$$;
