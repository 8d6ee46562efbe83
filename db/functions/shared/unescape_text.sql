-- A text without the escapes that hide a contact or a secret: of addresses (%40, also Cyrillic letters), of HTML (&nbsp;) and
-- of MarkdownV2 (\., and \\. where JSON quotes it); and with characters of full width as the usual ones.
-- Other escapes stay. src/masking.ts has the same list.
create or replace function outrider.unescape_text(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
      translate(
        case when p_text ~* '%(?:D[01]|EF%BC)%[89AB]' then outrider.unescape_letters(p_text) else p_text end,
        '０１２３４５６７８９＋－．：＝＠（）', '0123456789+-.:=@()'),
      '%20|&#32;|&#x20;|&thinsp;|&ensp;|&emsp;', ' ', 'gi'),
      '%C2%A0|&nbsp;|&#160;|&#xA0;|&#8239;|&#x202F;|&#8201;|&#x2009;', chr(160), 'gi'),
      '%28|&lpar;|&#40;|&#x28;', '(', 'gi'),
      '%29|&rpar;|&#41;|&#x29;', ')', 'gi'),
      '%2B|&plus;|&#43;|&#x2B;', '+', 'gi'),
      '%2D|%E2%88%92|%E2%80%9[0-5]|&minus;|&ndash;|&mdash;|&hyphen;|&dash;|&#8722;|&#x2212;|&#820[89];|&#821[0-3];|&#x201[0-5];|&#45;|&#x2D;', '-', 'gi'),
      '%2E|&period;|&#46;|&#x2E;', '.', 'gi'),
      '%3A|&colon;|&#58;|&#x3A;', ':', 'gi'),
      '%3D|&equals;|&#61;|&#x3D;', '=', 'gi'),
      '%40|&commat;|&#64;|&#x40;', '@', 'gi'),
      '\\{1,4}([_*\[\]()~`>#+=|{}.!-])', '\1', 'g');
