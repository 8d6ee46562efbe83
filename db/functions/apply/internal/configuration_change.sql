-- One line of what an apply does: {kind, id, action, fields: {name: {from, to}}, note?}. It does not show the hash of a
-- secret, only that the secret is a new one.
create or replace function outrider.configuration_change(
  p_kind text,
  p_id text,
  p_action text,
  p_fields jsonb,
  p_note text default null
)
  returns jsonb
  language sql
  immutable
as $$
  select jsonb_build_object('kind', p_kind, 'id', p_id, 'action', p_action, 'fields', f.fields
      || case when f.fields ? 'secret_hash'
        then jsonb_build_object('secret_hash', jsonb_build_object(
          'from', case when p_action = 'change' then '(changed)' end, 'to', '(changed)'))
        else '{}' end)
    || case when p_note is null then '{}' else jsonb_build_object('note', p_note) end
  from (select coalesce(p_fields, '{}') as fields) f;
$$;
