-- Who did something by an apply, and why, in the form of channels.stopped_because and of events.
create or replace function outrider.applied_by()
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object('operator', outrider.acting_login(), 'reason', 'apply');
$$;
