-- Reads `code` or a ```block``` of Telegram's MarkdownV2.
--
-- p_mark: from its first ` to its last, or to the end of the text. p_offset: the byte at which it begins.
-- Returns: visible: what it shows; is_line_start: whether > may begin a quote after it, null when the code does not
-- change that; fault: Telegram's words if it does not end.
create or replace function outrider.read_telegram_code(
  p_mark text,
  p_offset integer,
  out visible text,
  out is_line_start boolean,
  out fault text
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_ticks integer;
  v_within text;
begin
  if p_mark !~ '^(?:`(?:[^`\\]|\\.)*`|```(?:[^`\\]|\\.|`(?:[^`\\]|\\.)+`|``(?:[^`\\]|\\.))*```)$' then
    v_ticks := length(regexp_replace(p_mark, '(?:[^`\\]|\\.)+', '', 'g'));
    fault := format('Can''t find end of %s entity at byte offset %s',
      case
        -- after the three ` of a block, every second one begins code within it
        when v_ticks < 3 or v_ticks % 2 = 0 then 'Code'
        when p_mark ~ '^```[^ \t\r\n\v`]+[ \t\r\n\v]' then 'PreCode'
        else 'Pre'
      end,
      p_offset + case when v_ticks % 2 = 0 then octet_length(p_mark) - octet_length(substring(p_mark from '`(?:[^`\\]|\\.)*$')) else 0 end);
    return;
  end if;

  v_within := case
    when starts_with(p_mark, '```') then
      -- without its language and the line break before its first line
      regexp_replace(left(p_mark, -3), '^```(?:[^ \t\r\n\v`]+(?=[ \t\r\n\v]))?(?:\r\n?|\n\r?)?', '')
    else substr(p_mark, 2, length(p_mark) - 2)
  end;
  visible := regexp_replace(v_within, '\\([\u0001-\u007e])|`', '\1', 'g');
  if rtrim(visible, e'\r') <> '' then
    -- An escaped line break begins a line, a plain one within code does not.
    is_line_start := v_within ~ '(?:^|[^\\])(?:\\\\)*\\\n(?:\\?\r|`)*$';
  end if;
end;
$$;
