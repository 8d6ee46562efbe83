-- The part of mask_text for texts that may hold escapes or cookies.
create or replace function outrider.mask_hidden(p_text text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_cookie constant text := '(cookie\\?["'']?\s*:\s*\\?["'']?)[^\s=;,"''\\]{1,100}=[^\r\n"''\\]+';
  v_text constant text := regexp_replace(p_text, v_cookie, '\1[token]', 'gi');
  v_masked constant text := outrider.mask_forms(v_text);
  v_plain constant text := regexp_replace(outrider.unescape_text(v_text), v_cookie, '\1[token]', 'gi');
  v_plain_masked text;
begin
  if v_plain = v_text then
    return v_masked;
  end if;
  v_plain_masked := outrider.mask_forms(v_plain);
  return case when v_plain_masked = outrider.unescape_text(v_masked) then v_masked else v_plain_masked end;
end;
$$;
