-- What to do about a channel that is paused or disabled, in words: the order that lets it send again, and, where a platform
-- stopped it, the one that sends again what was refused.
create or replace function outrider.way_back(p_verb text, p_channel_id text, p_stopped_because jsonb)
  returns text
  language sql
  immutable
  parallel safe
return case
  when p_stopped_because ? 'operator' then format('outrider channels %s %s --reason … ends it', p_verb, p_channel_id)
  else format('mend it, then outrider channels %1$s %2$s --reason …, and for what was refused '
    'outrider deliveries requeue --channel %2$s --since 1d --reason …', p_verb, p_channel_id)
end;
