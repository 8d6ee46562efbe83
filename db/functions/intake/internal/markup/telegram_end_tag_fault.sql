-- Why Telegram refuses an end tag.
--
-- p_tag: from its < to its >, or to the end of the text. p_offset: the byte at which it begins. p_name and p_argument:
-- those of the innermost open tag; null: none is open. p_holds: whether that tag holds any text.
-- Returns: Telegram's words, or null.
create or replace function outrider.telegram_end_tag_fault(
  p_tag text,
  p_offset integer,
  p_name text,
  p_argument text,
  p_holds boolean
)
  returns text
  language sql
  immutable
  parallel safe
return case
  when p_name is null then format('Unexpected end tag at byte offset %s', p_offset)
  when p_tag !~ '^</[^ \t\r\n\v>]*[ \t\r\n\v]*>' then format('Unclosed end tag at byte offset %s', p_offset)
  when lower(substring(p_tag from '^</([^ \t\r\n\v>]*)') collate "C") not in ('', p_name) then
    format('Unmatched end tag at byte offset %s, expected "</%s>", found "</%s>"',
      p_offset, p_name, lower(substring(p_tag from '^</([^ \t\r\n\v>]*)') collate "C"))
  when not p_holds then null
  when p_name = 'tg-emoji' then
    case
      when p_argument !~ '^-?[1-9][0-9]{0,18}$'
        or p_argument::numeric not between -9223372036854775808 and 9223372036854775807 then
        'Invalid custom emoji identifier specified'
    end
  when p_name = 'tg-time' and p_argument !~ '^([rR]|[tTdDwW]*)$' then 'Invalid date format used'
end;
