-- A post as a channel sends it: its text in the channel's format, and the parts in which it goes out; judged
-- by the platform's limits before anything is queued. Channels of the same platform, template, mode and
-- settings get the same.
--
-- Returns: rendered_text; render_meta {format?, parts, buttons?, disable_preview?}; template_version
-- (`id@version`). With a fault, a sentence that says why the post cannot be sent there: render_meta is empty,
-- and rendered_text is what was written so far.
create or replace function outrider.compose_post(
  p_workspace_id text,
  p_payload jsonb,
  p_tags text[],
  p_platform text,
  p_template_ref text,
  p_send_mode outrider.send_mode,
  p_settings jsonb,
  out rendered_text text,
  out render_meta jsonb,
  out template_version text,
  out fault text
)
  language plpgsql
  stable
  parallel safe
as $$
declare
  v_platform outrider.platforms;
  v_media constant jsonb := p_payload -> 'media';
  v_buttons jsonb;
  v_visible text;
  v_first_entity integer;
  v_format text;
  v_length integer;
  v_has_text boolean;
  v_parts jsonb;
begin
  select * into v_platform from outrider.platforms p where p.platform = p_platform;
  if not found then
    raise exception using errcode = 'OR002', message = format('compose_post: there is no platform "%s"', p_platform);
  end if;

  select w.rendered_text, w.visible, w.first_entity, w.delivery_format, w.template_version, w.fault
  into rendered_text, v_visible, v_first_entity, v_format, template_version, fault
  from outrider.write_post(p_workspace_id, p_payload, p_tags, v_platform, p_template_ref, p_settings) w;
  v_has_text := not outrider.shows_nothing(v_visible);
  if v_platform.takes_buttons then
    v_buttons := p_payload -> 'buttons';
  end if;

  if fault is null then
    fault := coalesce(case
      when v_media is null and p_send_mode = 'media' then 'the channel takes media only, and the post has none'
      when v_media is not null and p_send_mode = 'text' then 'the channel takes text only, and the post has media'
      when v_media is null and not v_has_text then 'the text is empty'
      when v_media is not null then outrider.media_refusal(p_workspace_id, v_media, v_platform)
    end, outrider.button_refusal(v_buttons, v_platform));
  end if;

  if fault is null then
    v_length := outrider.text_length(
      case when v_platform.counts_markup then rendered_text
      else outrider.kept_text(v_visible, v_first_entity, v_platform.drops) end,
      v_platform.length_unit);
    if v_media is null then
      v_parts := outrider.text_part(v_buttons is not null);
    else
      select p.parts, p.fault into v_parts, fault
      from outrider.plan_parts(
        v_media, v_platform, v_has_text, v_length <= coalesce(v_platform.caption_max, v_platform.text_max),
        v_buttons is not null) p;
    end if;
  end if;
  if fault is null and v_has_text then
    fault := outrider.length_refusal(
      rendered_text, v_format, v_length, case when v_parts -> 0 ->> 'kind' = 'text' then v_platform.text_max end, v_platform);
  end if;

  if fault is not null then
    rendered_text := left(rendered_text, outrider.longest_text());
    render_meta := '{}';
    return;
  end if;
  render_meta := jsonb_strip_nulls(jsonb_build_object(
    'format', v_format,
    'parts', v_parts,
    'buttons', v_buttons,
    'disable_preview',
    case when 'true' in (p_payload -> 'disable_preview', p_settings -> 'disable_preview') then true end
  ));
end;
$$;
