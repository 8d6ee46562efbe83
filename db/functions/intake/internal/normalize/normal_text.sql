-- A text as it is kept and compared: composed (NFC), one kind of line end, one space where there was any
-- run of horizontal white space, none around line ends, at most one empty line in a row, nothing at the
-- ends, no control characters, and the addresses in it as normal_addresses writes them.
--
-- A text that is normal already stays unchanged.
create or replace function outrider.normal_text(p_text text)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_blanks constant text := e'\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000';
  v_controls constant text := e'\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f';
  v_text text := p_text;
begin
  -- Most texts need no change, and one match shows that.
  if v_text ~ '[\x01-\x09\x0b-\x1f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|  | \n|\n |\n\n\n|^[ \n]|[ \n]$' then
    v_text := translate(v_text, v_blanks || v_controls, repeat(' ', length(v_blanks)));
    v_text := replace(replace(v_text, e'\r\n', e'\n'), e'\r', e'\n');
    v_text := regexp_replace(v_text, ' {2,}', ' ', 'g');
    v_text := replace(replace(v_text, e' \n', e'\n'), e'\n ', e'\n');
    v_text := btrim(regexp_replace(v_text, '\n{3,}', e'\n\n', 'g'), e' \n');
  end if;
  v_text := outrider.composed_text(v_text);
  if strpos(v_text, '://') > 0 then
    v_text := outrider.normal_addresses(v_text);
  end if;
  return v_text;
end;
$$;
