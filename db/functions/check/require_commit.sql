-- Checks what every commit carries: its claim token and its time.
--
-- Raises: OR001.
create or replace function outrider.require_commit(p_function text, p_claim_token uuid, p_now timestamptz)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_claim_token is null then
    raise exception using errcode = 'OR001', message = format('%s: claim_token is missing', p_function);
  end if;
  perform outrider.require_time(p_function, p_now);
end;
$$;
