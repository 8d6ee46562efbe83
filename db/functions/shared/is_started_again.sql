-- Whether a process that has given no sign of life for 30 seconds was started again: one with its roles has started on its host
-- since, and is at work.
create or replace function outrider.is_started_again(p_service outrider.service_heartbeats, p_now timestamptz)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return p_service.seen_at < p_now - interval '30 seconds' and exists (
    select from outrider.service_heartbeats h
    where h.host = p_service.host and h.roles = p_service.roles and h.started_at >= p_service.seen_at
      and h.seen_at >= p_now - interval '30 seconds');
end;
$$;
