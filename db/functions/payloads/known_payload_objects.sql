create or replace function outrider.known_payload_objects(p_object_urls text[])
  returns setof text
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  perform outrider.require_addresses('known_payload_objects', 'object_urls', p_object_urls);
  return query
  select u.object_url from unnest(p_object_urls) as u (object_url)
  where exists (select from outrider.raw_payloads r where r.object_url = u.object_url);
end;
$$;

comment on function outrider.known_payload_objects is $doc$At which of these addresses of objects a raw payload of any workspace is kept. An object that none names may be removed
if it is older than an hour: it is written before its row.

Raises: OR001.$doc$;

grant execute on function outrider.known_payload_objects to outrider_service;
