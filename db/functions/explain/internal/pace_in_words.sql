-- A pace in a sentence: "5 messages a second", "one message every 1.7 s", "one message every 3 min".
create or replace function outrider.pace_in_words(p_rate_rps numeric)
  returns text
  language sql
  immutable
  parallel safe
return case
    when p_rate_rps > 1 then format('%s messages a second', trim_scale(round(p_rate_rps, 2)))
    when p_rate_rps = 1 then 'one message a second'
    when p_rate_rps >= 0.01 then format('one message every %s s', trim_scale(round(1 / p_rate_rps, 1)))
    when p_rate_rps > 0 then format('one message every %s', outrider.span_in_words(outrider.slot_step(p_rate_rps)))
  end;
