-- Reads the address that follows the words of a link or a custom emoji in Telegram's MarkdownV2.
--
-- p_mark: from ] to ), or to the end of the text. p_offset: the byte at which it begins. p_kind: the entity that it
-- belongs to.
-- Returns: url: the address of a link, null when its words are the address; fault: Telegram's words.
create or replace function outrider.read_telegram_address(
  p_mark text,
  p_offset integer,
  p_kind text,
  out url text,
  out fault text
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_address text;
begin
  if p_mark = ']' then
    fault := case when p_kind = 'CustomEmoji' then 'The entity must contain a tg://emoji or tg://time URL' end;
    return;
  end if;
  if p_mark !~ '^\]\((?:[^)\\]|\\.)*\)$' then
    fault := format('Can''t find end of a URL at byte offset %s', p_offset + 2);
    return;
  end if;

  v_address := regexp_replace(substr(p_mark, 3, length(p_mark) - 3), '\\([\u0001-\u007e])', '\1', 'g');
  if p_kind = 'TextUrl' then
    url := v_address;
  elsif not outrider.is_emoji_or_time(v_address) then
    fault := 'Invalid tg://emoji or tg://time URL specified';
  end if;
end;
$$;
