-- Whether a text names a link already: as a whole, not as the beginning of a longer link. A slash
-- at its end makes no difference.
create or replace function outrider.names_link(p_text text, p_link text)
  returns boolean
  language plpgsql
  immutable
  parallel safe
as $$
begin
  if strpos(p_text, rtrim(p_link, '/')) = 0 then
    return false;
  end if;
  return exists (
    select
    from unnest((string_to_array(p_text, rtrim(p_link, '/')))[2:]) as after (rest)
    -- A full stop or a comma, which may be escaped, belongs to the link only when the link goes on behind it.
    where after.rest !~ '^/?\\?[.,;:!?]*[\w%&=#@+$-]'
  );
end;
$$;
