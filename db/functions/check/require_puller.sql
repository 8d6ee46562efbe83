-- Checks what every call of a puller carries: the source, the token of its lease, the time.
--
-- Raises: OR001.
create or replace function outrider.require_puller(p_function text, p_source_id text, p_lease_token uuid, p_now timestamptz)
  returns void
  language plpgsql
  immutable
as $$
begin
  perform outrider.require_text(p_function, 'source_id', p_source_id, 200);
  if p_lease_token is null then
    raise exception using errcode = 'OR001', message = format('%s: lease_token is missing', p_function);
  end if;
  perform outrider.require_time(p_function, p_now);
end;
$$;
