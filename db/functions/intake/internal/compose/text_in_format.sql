-- The text of a post in the format of a delivery. Plain text is escaped; text of the delivery's own format
-- stays as it is; markup that the platform does not read is flattened.
--
-- p_format and p_delivery_format: `HTML`, `Markdown` or null for plain text. p_dialects: the markup that the
-- platform reads for each format. A platform without a dialect for a format gets plain text.
-- p_lenient: markup that cannot be kept is flattened; a text whose markup cannot be read is taken word for word.
-- Returns: the text, or a fault.
create or replace function outrider.text_in_format(
  p_text text,
  p_format text,
  p_delivery_format text,
  p_dialects jsonb,
  p_lenient boolean,
  out converted text,
  out fault text
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_dialect constant text := p_dialects ->> p_delivery_format;
  v_read record;
begin
  if p_format is null or p_text is null then
    converted := outrider.escape_markup(p_text, v_dialect);
    return;
  end if;
  if v_dialect is not null and p_format = p_delivery_format then
    converted := p_text;
    return;
  end if;
  if v_dialect is not null and not p_lenient then
    fault := format(
      'the post is written in %s, and the channel sends %s: hand it in as %2$s or as plain text, or let the channel''s on_format_error be "plain"',
      p_format, p_delivery_format);
    return;
  end if;
  -- A platform that reads no markup has no dialect: the post is read as one for Telegram.
  select r.flat, r.fault into v_read
  from outrider.read_markup(
    p_text, coalesce(p_dialects ->> p_format, case p_format when 'HTML' then 'telegram_html' else 'telegram_markdown' end)) r;
  if v_read.fault is not null and not p_lenient then
    fault := format('the text is not valid %s: %s', p_format, v_read.fault);
    return;
  end if;
  converted := outrider.escape_markup(case when v_read.fault is null then v_read.flat else p_text end, v_dialect);
end;
$$;
