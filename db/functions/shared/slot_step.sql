-- The time between two slots at a rate; zero without a rate, and when the time would be shorter than the clock's
-- microsecond. It is rounded up, so that slots are never closer than the rate allows.
create or replace function outrider.slot_step(p_rate_rps numeric)
  returns interval
  language sql
  immutable
  parallel safe
return case
    when p_rate_rps > 0 and p_rate_rps <= 1000000
      then ceil(1000000 / p_rate_rps)::double precision * interval '1 microsecond'
    else interval '0'
  end;
