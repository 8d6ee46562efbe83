-- The text of a post in the format of a delivery. Plain text is escaped; text of the delivery's own format
-- stays as it is; markup that the platform does not read is flattened.
--
-- p_format and p_delivery_format: `HTML`, `Markdown` or null for plain text. p_dialects: the markup that the
-- platform reads for each format. A platform without a dialect for a format gets plain text.
-- p_lenient: markup that cannot be kept is flattened; a text whose markup cannot be read is taken word for word.
-- p_max: how many characters it may show; a longer one is cut at a word, before it is escaped. Null: any number.
-- Returns: the text, and whether it was cut; or a fault.
create or replace function outrider.text_in_format(
  p_text text,
  p_format text,
  p_delivery_format text,
  p_dialects jsonb,
  p_lenient boolean,
  p_max integer,
  out converted text,
  out is_cut boolean,
  out fault text
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_dialect constant text := p_dialects ->> p_delivery_format;
  v_read record;
  v_words text := p_text;
begin
  if p_format is null or p_text is null then
    is_cut := length(p_text) > p_max;
    converted := outrider.escape_markup(case when is_cut then outrider.cut_text(p_text, p_max) else p_text end, v_dialect);
    return;
  end if;
  if v_dialect is not null and p_format = p_delivery_format then
    converted := case when length(p_text) > p_max then outrider.cut_markup(p_text, v_dialect, p_max) else p_text end;
    is_cut := converted <> p_text;
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
  if v_read.fault is null then
    v_words := v_read.flat;
  end if;
  is_cut := length(v_words) > p_max;
  converted := outrider.escape_markup(outrider.cut_text(v_words, p_max), v_dialect);
end;
$$;
