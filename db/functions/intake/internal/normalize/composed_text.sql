-- A text in Unicode's composed form (NFC), so that an é is the same however it was typed.
--
-- Marks in a row are sorted in quadratic time: a hundred thousand of them would take minutes. A text with
-- a hundred characters in a row that may all be marks is therefore left as it came.
create or replace function outrider.composed_text(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return case
  when p_text is nfc normalized then p_text
  when p_text ~ '[\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u20d0-\u20ff\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\uabff\ufb1e\ufe20-\ufe2f\U000101fd-\U0001efff]{100}' then p_text
  else normalize(p_text)
end;
