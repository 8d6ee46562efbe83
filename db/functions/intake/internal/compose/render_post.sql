-- Writes the whole text of a post: by the template, or laid out without one (lay_out_post), followed by what the
-- platform has no other place for (extra_lines).
--
-- p_text: the post's text, already in the dialect. p_template: null without a template.
create or replace function outrider.render_post(
  p_payload jsonb,
  p_text text,
  p_template text,
  p_values jsonb,
  p_platform outrider.platforms,
  p_dialect text
)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text text := p_text;
begin
  if p_template is not null then
    v_text := outrider.render_template(
      p_template, p_values - 'text', coalesce(nullif(p_text, ''), outrider.escape_markup(p_values ->> 'text', p_dialect), ''),
      p_dialect);
  elsif p_payload ?| array['title', 'links'] then
    v_text := outrider.lay_out_post(p_payload, p_text, p_dialect);
  end if;
  if (p_payload ? 'media' and not p_platform.takes_item_captions)
    or (p_payload ? 'buttons' and not p_platform.takes_buttons) then
    v_text := concat_ws(e'\n\n', nullif(v_text, ''), outrider.extra_lines(p_payload, p_platform, p_dialect));
  end if;
  return coalesce(v_text, '');
end;
$$;
