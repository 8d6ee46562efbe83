-- Writes a plain text in a dialect, so that a reader sees it as it is.
--
-- MAX does not say how its Markdown is escaped. Every Markdown escapes with a backslash, but where MAX does not accept
-- one, the reader would see it. So only what begins markup gets one: \ ` * _ [ ] always, ~ + ^
-- in pairs (a phone number keeps its plus), > and a heading's # at the beginning of a line (a hashtag
-- keeps its own); with [ and ] escaped, parentheses are harmless.
--
-- Returns: the text in the dialect; with a null dialect the text unchanged.
-- Raises: OR001 for a dialect that is not known.
create or replace function outrider.escape_markup(p_text text, p_dialect text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  case
    when p_dialect is null then
      return p_text;
    when p_dialect in ('telegram_html', 'max_html') then
      return replace(replace(replace(replace(p_text, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;');
    when p_dialect = 'telegram_markdown' then
      return regexp_replace(p_text, '[\\_*\[\]()~`>#+=|{}.!-]', '\\\&', 'g');
    when p_dialect = 'max_markdown' then
      return regexp_replace(
        replace(replace(replace(regexp_replace(p_text, '[\\`*_\[\]]', '\\\&', 'g'), '~~', '\~\~'), '++', '\+\+'), '^^', '\^\^'),
        '^([ \t]*)(>|#{1,6}(?:[ \t\r]|$))', '\1\\\2', 'gn');
    else
      raise exception using errcode = 'OR001',
        message = format('dialect "%s" is not known: telegram_html, telegram_markdown, max_html or max_markdown', p_dialect);
  end case;
end;
$$;
