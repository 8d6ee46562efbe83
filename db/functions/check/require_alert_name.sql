-- Checks that a text is a kind of alert, or the fingerprint of one, which begins with its kind and a colon.
--
-- Raises: OR001.
create or replace function outrider.require_alert_name(p_function text, p_matches text)
  returns void
  language plpgsql
  immutable
as $$
begin
  perform outrider.require_text(p_function, 'matches', p_matches, 400);
  if not exists (select from outrider.alert_kinds() k where k.kind = split_part(p_matches, ':', 1)) then
    raise exception using errcode = 'OR001',
      message = format('%s: matches is %s, which is neither a kind of alert nor a fingerprint', p_function, outrider.excerpt(p_matches)),
      hint = 'The kinds are ' || (select string_agg(k.kind, ', ') from outrider.alert_kinds() k) || '.';
  end if;
end;
$$;
