-- Writes a post as plain text, because its markup has a fault. The markup of the template is flattened. If the
-- template itself has the fault, it is taken word for word, and so is a text whose markup cannot be read.
--
-- p_dialect: the markup that was tried. p_text_max: how many characters of the post's own text are written.
create or replace function outrider.write_plainly(
  p_payload jsonb,
  p_template text,
  p_values jsonb,
  p_platform outrider.platforms,
  p_dialect text,
  p_text_max integer
)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text text;
  v_read record;
begin
  select t.converted into v_text
  from outrider.text_in_format(
    p_payload ->> 'text', nullif(p_payload ->> 'parse_mode', 'None'), null, p_platform.dialects, true, p_text_max) t;
  if p_template is not null then
    select r.flat, r.fault into v_read
    from outrider.read_markup(
      outrider.render_post(
        p_payload, outrider.escape_markup(v_text, p_dialect), p_template, p_values, p_platform, p_dialect),
      p_dialect) r;
    if v_read.fault is null then
      return v_read.flat;
    end if;
  end if;
  return outrider.render_post(p_payload, v_text, p_template, p_values, p_platform, null);
end;
$$;
