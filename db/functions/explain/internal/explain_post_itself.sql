-- What happened to a post as a whole: repeats that were dropped at intake, other tags, media that were left out, a contact
-- that was erased. Each kind at most once, the latest.
create or replace function outrider.explain_post_itself(p_message outrider.messages)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
begin
  return case when p_message.source_ref is null then '{}' else
      outrider.explain_drop(p_message.workspace_id, p_message.source_ref) end
    || array(
      select outrider.say(
        case l.action when 'message_tag_mismatch' then 'other_tags' else 'media_left_out' end, null,
        jsonb_build_object(
          'at', outrider.time_in_words(l.ts), 'error', outrider.error_in_words(l.error),
          'other_tags', outrider.tags_in_words(array(select jsonb_array_elements_text(l.meta -> 'other_tags'))),
          'kept_tags', outrider.tags_in_words(array(select jsonb_array_elements_text(l.meta -> 'kept_tags')))))
      from (
        select distinct on (e.action) e.action, e.ts, e.error, e.meta
        from outrider.latest_of_post(p_message.workspace_id, p_message.message_id) e
        where e.action in ('message_tag_mismatch', 'media_left_out')
        order by e.action, e.ts desc
      ) l
      order by l.ts desc)
    || case when p_message.erased_at is null then '{}' else
      array[outrider.say('erased', null, jsonb_build_object('at', outrider.time_in_words(p_message.erased_at)))] end;
end;
$$;
