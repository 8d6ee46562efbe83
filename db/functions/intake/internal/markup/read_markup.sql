-- Reads a text in the dialect of a platform: what its readers see, and what the platform would object to.
--
-- Returns: visible: the text without its markup; flat: the same for a platform without markup, each link
-- as "words (url)"; fault: null, or the platform's own words with the place; first_entity: the byte of
-- visible at which the first entity begins, for platforms that trim a text only as far as that (null: none);
-- fault_at: the byte of the text at which the fault is.
-- A null dialect is plain text.
-- Raises: OR001 for a dialect that is not known.
create or replace function outrider.read_markup(
  p_text text,
  p_dialect text,
  out visible text,
  out flat text,
  out fault text,
  out first_entity integer,
  out fault_at integer
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_read record;
begin
  case
    when p_dialect is null then
      visible := p_text;
      flat := p_text;
      return;
    when p_dialect = 'telegram_html' then
      v_read := outrider.read_telegram_html(p_text);
      first_entity := v_read.first_entity;
      fault_at := v_read.fault_at;
    when p_dialect = 'telegram_markdown' then
      v_read := outrider.read_telegram_markdown(p_text);
      first_entity := v_read.first_entity;
      fault_at := v_read.fault_at;
    when p_dialect = 'max_html' then
      v_read := outrider.read_max_html(p_text);
    when p_dialect = 'max_markdown' then
      v_read := outrider.read_max_markdown(p_text);
    else
      raise exception using errcode = 'OR001',
        message = format('dialect "%s" is not known: telegram_html, telegram_markdown, max_html or max_markdown', p_dialect);
  end case;
  visible := v_read.visible;
  flat := v_read.flat;
  fault := v_read.fault;
end;
$$;
