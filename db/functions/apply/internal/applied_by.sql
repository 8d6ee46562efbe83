-- Who stopped a channel, and why, when it was an apply: as channels.stopped_because has it.
create or replace function outrider.applied_by()
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object('operator', outrider.acting_login(), 'reason', 'apply');
$$;
