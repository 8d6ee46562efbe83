-- Checks a post as it came, and tells the first rule that it breaks, with the path to the place.
--
-- It answers for every jsonb and never raises; what nearly every post has is checked first. null counts as absent, and so
-- does an empty source_ref. workspace_id is ignored: the endpoint decides whose post it is.
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.payload_fault(p_raw jsonb)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_types constant jsonb := jsonb '{
    "text": "string", "parse_mode": "string", "title": "string", "url": "string", "links": "array",
    "media": "array", "buttons": "array", "disable_preview": "boolean", "fields": "object", "tags": "array",
    "source": "object", "source_ref": "string", "scheduled_for": "string", "trace_id": "string",
    "workspace_id": "any"
  }';
  -- Most posts have only these keys, and then there is no shape to check.
  v_strings constant text[] := array['text', 'parse_mode', 'title', 'url', 'source_ref', 'scheduled_for', 'trace_id'];
  v_fault text;
  v_bytes integer;
begin
  if p_raw is null then
    return 'there is no post';
  end if;
  -- Nothing nested is turned into text before its own rules have passed: see source_fault.
  -- Keys cannot be taken out of what is no object, and only a case keeps the order.
  if (case
    when jsonb_typeof(p_raw) <> 'object' then true
    else p_raw - v_strings <> '{}' or jsonb_path_exists(p_raw, 'strict $.* ? (@.type() != "string")')
  end) then
    v_fault := outrider.shape_fault(null, p_raw, v_types);
    if v_fault is not null then
      return v_fault;
    end if;
  end if;
  v_fault := coalesce(
    outrider.length_fault('text', p_raw ->> 'text', 0, outrider.longest_text()),
    outrider.length_fault('title', p_raw ->> 'title', 0, 1000),
    outrider.url_fault('url', p_raw ->> 'url')
  );
  if v_fault is null and p_raw ?| array['parse_mode', 'source_ref', 'trace_id', 'scheduled_for'] then
    v_fault := coalesce(
      case
        when p_raw ->> 'parse_mode' not in ('HTML', 'Markdown', 'None') then
          format('parse_mode %s is not one of HTML, Markdown, None', outrider.excerpt(p_raw ->> 'parse_mode'))
        when octet_length(p_raw ->> 'source_ref') > 512 then
          format('source_ref has %s bytes; the limit is 512', octet_length(p_raw ->> 'source_ref'))
        -- Logs and terminals show the id as it is: it must not clear the screen or reverse the writing.
        when p_raw ->> 'trace_id' ~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]' then
          'trace_id holds a control character'
      end,
      outrider.length_fault('trace_id', p_raw ->> 'trace_id', 1, 128),
      outrider.schedule_fault(p_raw ->> 'scheduled_for')
    );
  end if;
  if v_fault is null and p_raw ?| array['links', 'media', 'buttons', 'fields', 'tags', 'source'] then
    v_fault := coalesce(
      outrider.links_fault(nullif(p_raw -> 'links', 'null')),
      outrider.media_fault(nullif(p_raw -> 'media', 'null')),
      outrider.buttons_fault(nullif(p_raw -> 'buttons', 'null')),
      outrider.fields_fault(nullif(p_raw -> 'fields', 'null')),
      outrider.tags_fault(nullif(p_raw -> 'tags', 'null')),
      outrider.source_fault(nullif(p_raw -> 'source', 'null'))
    );
  end if;
  if v_fault is not null then
    return v_fault;
  end if;
  if coalesce(outrider.is_blank(p_raw ->> 'text'), true) and coalesce(outrider.is_blank(p_raw ->> 'title'), true)
    and p_raw ->> 'url' is null
    and coalesce(p_raw -> 'links', '[]') in ('[]', 'null') and coalesce(p_raw -> 'media', '[]') in ('[]', 'null')
  then
    return 'a post needs a text, a title, a link or media; this one has none of them';
  end if;
  v_bytes := octet_length((p_raw - 'workspace_id')::text);
  if v_bytes > 1048576 then
    return format('a post has at most 1048576 bytes as JSON; this one has %s', v_bytes);
  end if;
  return null;
end;
$$;
