-- The composed posts of a preview as preview_post returns them in `posts`: one for each profile, null for a profile
-- whose channels do not get the post.
create or replace function outrider.posts_as_json(p_posts outrider.composed_post[], p_profiles outrider.profile[])
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_post outrider.composed_post;
  v_platform outrider.platforms;
  v_counted text;
  v_posts jsonb := '[]'::jsonb;
begin
  for v_n in 1 .. coalesce(cardinality(p_profiles), 0) loop
    v_post := p_posts[v_n];
    if v_post.rendered_text is null then
      v_posts := v_posts || jsonb 'null';
      continue;
    end if;
    v_platform := (p_profiles[v_n]).platform;
    v_counted := outrider.counted_text_of(v_post, v_platform);
    v_posts := v_posts || jsonb_build_object(
      'rendered_text', v_post.rendered_text, 'render_meta', v_post.render_meta,
      'template_version', v_post.template_version,
      'fault', outrider.preflight_error(v_post.fault) ->> 'message', 'fault_at', outrider.markup_fault_at(v_post, v_platform.dialects),
      'counted_text', v_counted, 'length', outrider.text_length(v_counted, v_platform.length_unit),
      'length_max', case when v_post.render_meta #>> '{parts,0,kind}' = 'media'
        then coalesce(v_platform.caption_max, v_platform.text_max) else v_platform.text_max end,
      'length_unit', v_platform.length_unit, 'counts_markup', v_platform.counts_markup,
      'bytes_max', v_platform.text_bytes_max,
      'caption_max', case when v_platform.takes_item_captions then coalesce(v_platform.caption_max, v_platform.text_max) end);
  end loop;
  return v_posts;
end;
$$;
