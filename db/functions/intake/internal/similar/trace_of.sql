-- The trace of a message: by what it can be told to be nearly the same as another, with hashes in place of numbers and
-- addresses. Its times are left to the caller. `keys` is empty when it has nothing to be found by.
create or replace function outrider.trace_of(p_message outrider.messages)
  returns outrider.message_traces
  language plpgsql
  stable
as $$
declare
  v_trace outrider.message_traces;
  v_prefix constant text := p_message.workspace_id || '/';
  v_text constant text := concat_ws(e'\n', p_message.payload ->> 'title', p_message.payload ->> 'text');
  v_words constant text[] := outrider.plain_words(v_text);
begin
  v_trace.workspace_id := p_message.workspace_id;
  v_trace.message_id := p_message.message_id;
  v_trace.phones := array(
    select hashtextextended(v_prefix || 'phone/' || p.number, 0)
    from unnest(outrider.phone_numbers(concat_ws(
      e'\n', v_text, p_message.payload #>> '{fields,phones}', p_message.payload #>> '{fields,phone}'))) as p (number)
    limit 20);
  v_trace.urls := array(
    select distinct hashtextextended(v_prefix || 'url/' || a.address, 0)
    from jsonb_array_elements_text(p_message.payload -> 'links') as l (url)
    cross join lateral outrider.comparable_address(l.url) as a (address)
    where a.address is not null
    limit 20);
  v_trace.pictures := array(
    select distinct ('x' || o.picture_hash)::bit(64)::bigint
    from jsonb_array_elements(p_message.payload -> 'media') as m (item)
    join outrider.media_origin o on o.workspace_id = p_message.workspace_id and o.blob_ref = m.item ->> 'blob_ref'
    where o.picture_hash is not null
    limit 20);
  -- Without vowels, so that a corrected misspelling or another ending does not make another word.
  v_trace.words := array(
    select distinct hashtext(coalesce(nullif(translate(w.word, 'аеиоуыэюяйьъaeiouy', ''), ''), w.word))
    from unnest(v_words[:500]) as w (word)
    where w.word !~ '[0-9]');
  v_trace.numbers := array(
    select distinct hashtext(coalesce(w.before, '') || ' ' || w.word)
    from (select u.word, lag(u.word) over (order by u.n) as before from unnest(v_words[:500]) with ordinality as u (word, n)) w
    where w.word ~ '[0-9]');
  v_trace.word_pairs := outrider.word_pairs(v_words);
  -- Two hashes that differ in three bits at most have one of their quarters in common.
  v_trace.keys := v_trace.phones || v_trace.urls || array(
    select hashtextextended(format('%spicture/%s/%s', v_prefix, q.n, ((p.hash >> (q.n * 16)) & 65535)), 0)
    from unnest(v_trace.pictures) as p (hash)
    cross join generate_series(0, 3) as q (n));
  return v_trace;
end;
$$;
