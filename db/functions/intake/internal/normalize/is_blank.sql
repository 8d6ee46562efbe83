-- Whether a text is empty after normal_text.
create or replace function outrider.is_blank(p_text text)
  returns boolean
  language sql
  immutable
  parallel safe
return p_text !~ '[^\x01- \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]';
