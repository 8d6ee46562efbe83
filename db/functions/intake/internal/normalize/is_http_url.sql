-- Whether a text is an http(s) address with a host. White space at its ends is allowed.
create or replace function outrider.is_http_url(p_url text)
  returns boolean
  language sql
  immutable
  parallel safe
return p_url ~ (
  '^[\x09-\x0d \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*'
  '[Hh][Tt][Tt][Pp][Ss]?://'
  '(?:[^]\x01- "#/<>?@[\\^`{|}\x7f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*@)?'
  '(?:\[[0-9A-Fa-f:.]+\]|(?![-.])[^]\x01- "#/:<>?@[\\^`{|}\x7f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+)'
  '(?::(?:[1-5]?[0-9]{0,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?'
  '(?:[/?#][^\x01- \x7f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*)?'
  '[\x09-\x0d \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$'
);
