-- The part of mask_text for texts that may hold escapes or cookies. What is masked may bring something else to light, so
-- it is looked at again until nothing changes, a few times at most.
create or replace function outrider.mask_hidden(p_text text)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_cookie constant text := '(cookie\\?["'']?\s*:\s*\\?["'']?)[^\s=;,"''\\]{1,100}=[^\r\n"''\\]+';
  v_text text := p_text;
  v_before text;
  v_masked text;
  v_plain text;
begin
  for v_pass in 1..4 loop
    v_before := v_text;
    v_text := regexp_replace(v_text, v_cookie, '\1[token]', 'gi');
    v_masked := outrider.mask_forms(v_text);
    v_plain := outrider.mask_forms(regexp_replace(outrider.unescape_text(v_text), v_cookie, '\1[token]', 'gi'));
    v_text := case when v_plain = outrider.unescape_text(v_masked) then v_masked else v_plain end;
    exit when v_text = v_before;
  end loop;
  return v_text;
end;
$$;
