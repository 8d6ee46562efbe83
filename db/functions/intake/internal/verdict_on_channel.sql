-- What becomes of a message in a channel.
--
-- p_rule: why it is not routed there. p_twin: the delivery that it repeats. p_has_fault: its platform would refuse it.
create or replace function outrider.verdict_on_channel(p_rule text, p_twin uuid, p_has_fault boolean)
  returns text
  language sql
  immutable
  parallel safe
return case
    when p_rule is not null then 'not_routed'
    when p_twin is not null then 'deduped'
    when p_has_fault then 'validation_failed'
    else 'queued'
  end;
