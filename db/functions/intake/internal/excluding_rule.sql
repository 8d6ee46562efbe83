-- The first rule of a channel's filter that keeps a message out, in the order include_any, include_all, exclude; null
-- when the channel takes the message.
--
-- A filter that is null, and a rule that is missing or empty, keep nothing out. A message without tags
-- has the empty set of tags: every include rule keeps it out. The function runs for every channel of a workspace and
-- every message, so it is a single expression, which PostgreSQL inlines.
create or replace function outrider.excluding_rule(p_tags text[], p_filter jsonb)
  returns text
  language sql
  immutable
  parallel safe
return
  case
    when p_filter -> 'include_any' <> '[]' and not p_filter -> 'include_any' ?| coalesce(p_tags, '{}')
      then 'include_any'
    -- the wanted tags that the message does not have
    when (p_filter -> 'include_all') - coalesce(p_tags, '{}') <> '[]'
      then 'include_all'
    when p_filter -> 'exclude' ?| coalesce(p_tags, '{}')
      then 'exclude'
  end;
