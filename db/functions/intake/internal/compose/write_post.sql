-- Writes the text of a post for a channel, in its format and by its template.
--
-- The format is the channel's; a channel that has neither a format nor a template sends the post's own.
-- p_settings.on_format_error says what happens to markup that the platform would refuse: `fail` (default)
-- is a fault, `plain` sends the whole post as plain text.
-- p_settings.text_max: how many characters of the post's own text are written, whatever else the template says.
-- Returns: the text as it is sent and as it is read, first_entity as read_markup returns it, the format (null: plain
-- text), the template's version, and whether the post's text was cut; or a fault, with what was written so far.
create or replace function outrider.write_post(
  p_workspace_id text,
  p_payload jsonb,
  p_tags text[],
  p_platform outrider.platforms,
  p_template_ref text,
  p_settings jsonb,
  out rendered_text text,
  out visible text,
  out first_entity integer,
  out delivery_format text,
  out template_version text,
  out is_cut boolean,
  out fault text
)
  language plpgsql
  stable
  parallel safe
as $$
declare
  v_lenient constant boolean := coalesce(p_settings ->> 'on_format_error' = 'plain', false);
  v_post_format constant text := nullif(p_payload ->> 'parse_mode', 'None');
  v_text_max constant integer := (p_settings ->> 'text_max')::integer;
  v_dialect text;
  v_text text := p_payload ->> 'text';
  v_template text;
  v_defaults jsonb;
  v_values jsonb;
  v_fault text;
begin
  rendered_text := coalesce(v_text, '');
  delivery_format := coalesce(p_settings ->> 'parse_mode', case when p_template_ref is null then v_post_format end);
  v_dialect := p_platform.dialects ->> delivery_format;
  if v_dialect is null then
    delivery_format := null;
  end if;

  if p_template_ref is not null then
    select t.body, t.defaults, t.version_ref, t.fault into v_template, v_defaults, template_version, fault
    from outrider.find_template(p_workspace_id, p_template_ref) t;
    if fault is not null then
      return;
    end if;
    v_values := outrider.post_values(p_payload, p_tags, v_defaults, p_settings -> 'values');
  end if;

  if v_text is not null and (v_post_format is not null or v_dialect is not null) then
    select t.converted, t.is_cut, t.fault into v_text, is_cut, fault
    from outrider.text_in_format(v_text, v_post_format, delivery_format, p_platform.dialects, v_lenient, v_text_max) t;
    if fault is not null then
      return;
    end if;
  elsif length(v_text) > v_text_max then
    v_text := outrider.cut_text(v_text, v_text_max);
    is_cut := true;
  end if;
  rendered_text := outrider.render_post(p_payload, v_text, v_template, v_values, p_platform, v_dialect);
  visible := rendered_text;
  if v_dialect is null then
    return;
  end if;
  -- A text that is too long with its markup need not be read, unless it might still be sent as plain text.
  if not v_lenient then
    fault := outrider.platform_text_fault(
      rendered_text, delivery_format,
      case when p_platform.counts_markup then outrider.text_length(rendered_text, p_platform.length_unit) end,
      p_platform.text_max, p_platform);
  end if;
  if fault is not null or length(rendered_text) > outrider.longest_text() then
    return;
  end if;

  select r.visible, r.first_entity, r.fault into visible, first_entity, v_fault
  from outrider.read_markup(rendered_text, v_dialect) r;
  if v_fault is null then
    return;
  end if;
  if not v_lenient then
    fault := format('the text is not valid %s for %s: %s', delivery_format, p_platform.title, v_fault);
    return;
  end if;
  delivery_format := null;
  rendered_text := outrider.write_plainly(p_payload, v_template, v_values, p_platform, v_dialect, v_text_max);
  visible := rendered_text;
end;
$$;
