-- A change that cannot be made: {kind, id, action: refuse, fault, hint?}. It stands among the other changes until all
-- faults are found (refuse_faults). p_fault is one whole sentence, or several, each on a line.
create or replace function outrider.refused_change(p_kind text, p_id text, p_fault text, p_hint text default null)
  returns jsonb
  language sql
  immutable
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'kind', p_kind, 'id', p_id, 'action', 'refuse', 'fault', p_fault, 'hint', nullif(p_hint, '')));
$$;
