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
    regexp_replace(
    regexp_replace(
    regexp_replace(
      translate(
        case when p_text ~* '%(?:D[01]|EF%BC)%[89AB]' then outrider.unescape_letters(p_text) else p_text end,
        '０１２３４５６７８９＋－．：＝＠（）', '0123456789+-.:=@()'),
      '%(?:25)+([0-9A-F]{2})', '%\1', 'gi'),
      '&(?:amp;)+', '&', 'gi'),
      '</?(?:a|b|blockquote|br|code|del|div|em|i|ins|mark|p|pre|s|span|strike|strong|td|tg-spoiler|tr|u)(?:\s[^<>]*)?/?>', ' ', 'gi'),
      '%20|&#0*32;|&#x0*20;|&thinsp;|&ensp;|&emsp;', ' ', 'gi'),
      '%C2%A0|\\u00A0|&nbsp;|&#0*160;|&#x0*A0;|&#0*8239;|&#x0*202F;|&#0*8201;|&#x0*2009;', chr(160), 'gi'),
      '%28|&lpar;|&#0*40;|&#x0*28;', '(', 'gi'),
      '%29|&rpar;|&#0*41;|&#x0*29;', ')', 'gi'),
      '%2B|\\u002B|&plus;|&#0*43;|&#x0*2B;', '+', 'gi'),
      '%2D|%E2%88%92|%E2%80%9[0-5]|&minus;|&ndash;|&mdash;|&hyphen;|&dash;|&#0*8722;|&#x0*2212;|&#0*820[89];|&#0*821[0-3];|&#x0*201[0-5];|&#0*45;|&#x0*2D;', '-', 'gi'),
      '%2E|&period;|&#0*46;|&#x0*2E;', '.', 'gi'),
      '%3A|&colon;|&#0*58;|&#x0*3A;', ':', 'gi'),
      '%3D|\\u003D|&equals;|&#0*61;|&#x0*3D;', '=', 'gi'),
      '%40|\\u0040|&commat;|&#0*64;|&#x0*40;', '@', 'gi'),
      '\\{1,4}([_*\[\]()~`>#+=|{}.!-])', '\1', 'g');
