-- The value of channels.stopped_because for a channel that an apply has stopped: who did it, and why.
create or replace function outrider.applied_by()
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object('operator', outrider.acting_login(), 'reason', 'apply');
$$;
