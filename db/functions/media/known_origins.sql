create or replace function outrider.known_origins(p_origin_urls text[])
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
  perform outrider.require_addresses('known_origins', 'origin_urls', p_origin_urls);
  return query
  select u.origin_url from unnest(p_origin_urls) as u (origin_url)
  where exists (select from outrider.media_origin o where o.origin_url = u.origin_url);
end;
$$;

comment on function outrider.known_origins is $doc$Which of these addresses of files some workspace names. A file that none names may be removed if it is older than an
hour: a file is written before its row.

Raises: OR001.$doc$;

grant execute on function outrider.known_origins to outrider_service;
