create or replace function outrider.expired_payloads(p_limit integer, p_now timestamptz default clock_timestamp())
  returns table (workspace_id text, payload_ref text, object_url text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_count('expired_payloads', p_limit, 10000);
  perform outrider.require_time('expired_payloads', p_now);
  return query
  select r.workspace_id, r.payload_ref, r.object_url
  from outrider.raw_payloads r
  where r.expires_at <= p_now
  order by r.expires_at
  limit p_limit;
end;
$$;

comment on function outrider.expired_payloads is $doc$The raw payloads of all workspaces whose time is over, the oldest first. Whoever asks removes the objects and then
calls forget_payloads: a process that dies between the two leaves a row whose object is gone, and the next round
clears it.

Raises: OR001.$doc$;

grant execute on function outrider.expired_payloads to outrider_service;
