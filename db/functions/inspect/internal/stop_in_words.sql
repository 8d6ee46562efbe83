-- Says in words why a channel is paused or disabled, from its stopped_because; null when no reason was given.
create or replace function outrider.stop_in_words(p_stopped_because jsonb)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select nullif(concat_ws(': ', 'by ' || (p_stopped_because ->> 'operator'), p_stopped_because ->> 'reason',
    p_stopped_because ->> 'code', p_stopped_because ->> 'message'), '');
$$;
