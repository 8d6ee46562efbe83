-- One explanation: the sentences of a reason, with the facts in their places.
--
-- p_facts: the texts from people and platforms among them are masked already. A fact that a sentence names and that is
-- missing leaves its place empty.
-- Returns: `detail` is {reason, the facts}; `until` is null when the end is not a matter of time.
-- Raises: no_data_found for a reason that is not one of reasons().
create or replace function outrider.say(p_reason text, p_until timestamptz, p_facts jsonb)
  returns outrider.explanation
  language plpgsql
  stable
as $$
declare
  v_because text;
  v_advice text;
begin
  select r.because, r.advice into strict v_because, v_advice from outrider.reasons() r where r.reason = p_reason;
  return row(
    outrider.fill_in(v_because, p_facts),
    case when isfinite(p_until) then p_until end,
    jsonb_build_object('reason', p_reason) || jsonb_strip_nulls(p_facts),
    outrider.fill_in(v_advice, p_facts)
  )::outrider.explanation;
end;
$$;
