create or replace function outrider.unmatched_bot_texts(
  p_workspace_id text,
  p_since timestamptz,
  p_limit integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (example text, texts text[], count bigint, chats bigint, last_at timestamptz)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('unmatched_bot_texts', p_workspace_id);
  perform outrider.require_listing('unmatched_bot_texts', null, p_since, null, p_limit);
  perform outrider.require_time('unmatched_bot_texts', p_now);

  return query
  select (array_agg(g.message_text order by g.ts desc))[1], (array_agg(distinct g.message_text))[1:10], count(*),
    count(distinct (g.provider, g.chat_id)), max(g.ts)
  from (
    select l.ts, l.provider, l.chat_id, l.message_text, k.stems
    from (
      select x.* from outrider.bot_logs x
      where x.workspace_id = p_workspace_id and x.ts >= coalesce(p_since, '-infinity') and x.ts <= p_now
        and x.matched_rule_id is null and x.action in ('clarified', 'fell_back', 'escalated') and x.message_text <> ''
      order by x.ts desc
      limit 20000
    ) l
    cross join lateral outrider.read_bot_text(l.message_text) t
    cross join lateral (
      select coalesce(array_agg(distinct s.stem order by s.stem), '{}') as stems
      from unnest(t.words, t.stems) as s (word, stem)
      -- Words such as "где" and "как" say nothing about what a text is about.
      where ts_lexize('pg_catalog.russian_stem', s.word) <> '{}'
    ) k
  ) g
  group by g.stems
  order by count(*) desc, max(g.ts) desc
  limit p_limit;
end;
$$;

comment on function outrider.unmatched_bot_texts is $doc$What people wrote and no rule matched, for the author of the rules: texts with the same words, in any form and order, are
one group. The most frequent come first. The latest 20,000 texts are searched.

p_since: null: from the beginning.
Returns: `example` is the latest text of the group, `texts` are up to ten different ones, all masked.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.unmatched_bot_texts to outrider_reader;
