-- A text in a dialect that shows p_max characters at most: a longer one is cut at a word and ends with an ellipsis, and
-- whatever is open there is closed. A link stays as a whole, or goes with all that follows it. A null p_max is no limit.
--
-- What is cut is read again before it is used. A text that cannot be cut so (it begins with a link that is too long, or
-- its marks would mean something else) is cut as plain text, with its links written out.
-- Returns: a text whose markup has a fault as it is: whoever reads it finds the fault.
create or replace function outrider.cut_markup(p_text text, p_dialect text, p_max integer)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_whole record;
  v_head text;
  v_cut record;
  v_read record;
begin
  if length(p_text) <= p_max or p_max is null then
    return p_text;
  end if;
  v_whole := outrider.read_markup(p_text, p_dialect);
  if v_whole.fault is not null or length(v_whole.visible) <= p_max then
    return p_text;
  end if;

  v_head := outrider.head_of_text(v_whole.visible, p_max - 1);
  for v_n in 1 .. 5 loop
    exit when v_head = '';
    if p_dialect in ('telegram_html', 'max_html') then
      v_cut := outrider.html_head(p_text, p_dialect = 'max_html', length(v_head));
    else
      v_cut := outrider.markdown_head(p_text, p_dialect = 'max_markdown', length(v_head));
    end if;
    if v_cut.link_at is not null then
      v_head := rtrim(left(v_head, v_cut.link_at), e' \n\t\r\u00a0.,;:–—-(«"[');
      continue;
    end if;
    v_read := outrider.read_markup(v_cut.head, p_dialect);
    if v_read.fault is null and v_read.visible = v_head || '…' then
      return v_cut.head;
    end if;
    v_head := outrider.head_of_text(v_head, length(v_head) - 1);
  end loop;
  return outrider.escape_markup(outrider.cut_text(v_whole.flat, p_max), p_dialect);
end;
$$;
