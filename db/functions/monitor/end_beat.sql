create or replace function outrider.end_beat(p_service_id uuid)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  if p_service_id is null then
    raise exception using errcode = 'OR001', message = 'end_beat: service_id is missing';
  end if;
  delete from outrider.service_heartbeats h where h.service_id = p_service_id;
  return found;
end;
$$;

comment on function outrider.end_beat is $doc$Says that a process has stopped in order, and that nobody need look for it.

Returns: whether the process was known.
Raises: OR001.$doc$;

grant execute on function outrider.end_beat to outrider_service, outrider_publisher;
