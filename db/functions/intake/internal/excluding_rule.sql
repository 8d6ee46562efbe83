-- The rule of a channel's filter that keeps a message out, the first of include_any, include_all and
-- exclude; null when the channel takes the message.
--
-- A filter that is null, and a rule that is missing or empty, keep nothing out. A message without tags
-- has the empty set of tags: every include rule keeps it out. Runs for every channel of a workspace and
-- every message, hence one expression that PostgreSQL puts in place of the call.
create or replace function outrider.excluding_rule(p_tags text[], p_filter jsonb)
  returns text
  language sql
  immutable
  parallel safe
return
  case
    when p_filter -> 'include_any' <> '[]' and not p_filter -> 'include_any' ?| coalesce(p_tags, '{}')
      then 'include_any'
    -- what is left of the wanted tags without those of the message
    when (p_filter -> 'include_all') - coalesce(p_tags, '{}') <> '[]'
      then 'include_all'
    when p_filter -> 'exclude' ?| coalesce(p_tags, '{}')
      then 'exclude'
  end;
