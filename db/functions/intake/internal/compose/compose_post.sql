-- Composes a post for a channel: its text in the channel's format, and the parts in which it goes out. The post is
-- checked against the platform's limits before anything is queued. Channels of the same platform, template, mode and
-- settings get the same result.
--
-- p_settings.media_max: only so many media go out, the first ones. p_settings.on_media: what a channel for text does
-- with a post that has media: `fail` (default) is a fault, `leave_out` sends its text.
-- Returns: rendered_text; render_meta {format?, parts, buttons?, disable_preview?, left_out?: {media?: how many, text?:
-- true when it was cut}}; template_version
-- (`id@version`). `fault` says why the post cannot be sent there; render_meta is then empty, and rendered_text is what
-- was written so far.
create or replace function outrider.compose_post(
  p_workspace_id text,
  p_payload jsonb,
  p_tags text[],
  p_platform outrider.platforms,
  p_template_ref text,
  p_send_mode outrider.send_mode,
  p_settings jsonb
)
  returns outrider.composed_post
  language plpgsql
  stable
  parallel safe
as $$
declare
  v_post outrider.composed_post;
  v_payload jsonb := p_payload;
  v_media jsonb := p_payload -> 'media';
  v_media_kept integer;
  v_media_left_out integer;
  v_buttons jsonb;
  v_written record;
  v_is_short boolean;
  v_length integer;
  v_has_text boolean;
  v_parts jsonb;
begin
  if v_media is not null and p_settings ?| '{media_max,on_media}' then
    v_media_kept := case when p_send_mode = 'text' and p_settings ->> 'on_media' = 'leave_out' then 0
      else (p_settings ->> 'media_max')::integer end;
    if jsonb_array_length(v_media) > v_media_kept then
      v_media_left_out := jsonb_array_length(v_media) - v_media_kept;
      v_media := case when v_media_kept > 0
        then jsonb_path_query_array(v_media, '$[0 to $last]', jsonb_build_object('last', v_media_kept - 1)) end;
      v_payload := p_payload - 'media' || jsonb_strip_nulls(jsonb_build_object('media', v_media));
    end if;
  end if;
  v_written := outrider.write_post(p_workspace_id, v_payload, p_tags, p_platform, p_template_ref, p_settings);
  v_post.rendered_text := v_written.rendered_text;
  v_post.template_version := v_written.template_version;
  v_post.fault := v_written.fault;
  v_has_text := not outrider.shows_nothing(v_written.visible);
  if p_platform.takes_buttons then
    v_buttons := p_payload -> 'buttons';
  end if;

  if v_post.fault is null then
    if v_media is null then
      v_post.fault := case
        when p_send_mode = 'media' then 'the channel takes media only, and the post has none'
        when not v_has_text then 'the text is empty'
      end;
    elsif p_send_mode = 'text' then
      v_post.fault := 'the channel takes text only, and the post has media';
    else
      v_post.fault := outrider.platform_media_fault(p_workspace_id, v_media, p_platform, p_settings -> 'media_upload');
    end if;
    if v_post.fault is null and p_payload ? 'buttons' then
      v_post.fault := outrider.platform_button_fault(p_payload -> 'buttons', p_platform);
    end if;
  end if;

  if v_post.fault is null then
    -- A text has no more characters than bytes, whoever counts them: a short one needs no counting.
    v_is_short := greatest(octet_length(v_post.rendered_text), octet_length(v_written.visible))
      <= least(p_platform.text_max, p_platform.caption_max, p_platform.text_bytes_max);
    if not v_is_short then
      v_length := outrider.text_length(
        outrider.counted_text(v_post.rendered_text, v_written.visible, v_written.first_entity, p_platform),
        p_platform.length_unit);
    end if;
    if v_media is null then
      v_parts := outrider.text_part(v_buttons is not null);
    else
      select p.parts, p.fault into v_parts, v_post.fault
      from outrider.plan_parts(
        v_media, p_platform, v_has_text, v_is_short or v_length <= coalesce(p_platform.caption_max, p_platform.text_max),
        v_buttons is not null) p;
    end if;
    if v_post.fault is null and v_has_text and not v_is_short then
      v_post.fault := outrider.platform_text_fault(
        v_post.rendered_text, v_written.delivery_format, v_length,
        case when v_parts -> 0 ->> 'kind' = 'text' then p_platform.text_max end, p_platform);
    end if;
  end if;

  if v_post.fault is not null then
    v_post.rendered_text := left(v_post.rendered_text, outrider.longest_text());
    v_post.render_meta := jsonb '{}';
    return v_post;
  end if;
  v_post.render_meta := jsonb_strip_nulls(jsonb_build_object(
    'format', v_written.delivery_format,
    'parts', v_parts,
    'buttons', v_buttons,
    'disable_preview',
    case when 'true' in (p_payload -> 'disable_preview', p_settings -> 'disable_preview') then true end
  ));
  if v_written.is_cut or v_media_left_out is not null then
    v_post.render_meta := v_post.render_meta || jsonb_build_object('left_out', jsonb_strip_nulls(jsonb_build_object(
      'media', v_media_left_out, 'text', nullif(v_written.is_cut, false))));
  end if;
  return v_post;
end;
$$;
