-- Checks the outer shape of a configuration: its keys and its sections. configuration_faults checks what is in them.
--
-- Raises: OR001.
create or replace function outrider.require_configuration(p_document jsonb)
  returns void
  language plpgsql
  stable
as $$
declare
  v_kinds constant jsonb := (select jsonb_agg(to_jsonb(k)) from outrider.configuration_kinds() k);
  v_known constant text[] := array['workspace', 'name', 'status']
    || array(select k.section from jsonb_to_recordset(v_kinds) as k (section text) where k.section is not null);
  v_fault text;
begin
  if jsonb_typeof(p_document) is distinct from 'object' then
    raise exception using errcode = 'OR001',
      message = format('document must be a mapping, not %s', coalesce(jsonb_typeof(p_document), 'nothing'));
  end if;
  select format('document has no key %s; it may have %s', outrider.excerpt(d.key), array_to_string(v_known, ', ')) into v_fault
  from jsonb_object_keys(p_document) as d (key) where d.key <> all (v_known) limit 1;
  if found then
    raise exception using errcode = 'OR001', message = v_fault;
  end if;
  if jsonb_typeof(p_document -> 'workspace') is distinct from 'string' then
    raise exception using errcode = 'OR001', message = 'document names no workspace; write workspace: and its id, a text';
  end if;

  select format('%s must be a mapping', k.section) into v_fault
  from jsonb_to_recordset(v_kinds) as k (section text) where jsonb_typeof(p_document -> k.section) <> 'object' limit 1;
  if not found then
    select format('rate_groups.%s must be a mapping of rate groups', outrider.excerpt(g.key)) into v_fault
    from jsonb_each(p_document -> 'rate_groups') as g where jsonb_typeof(g.value) <> 'object' limit 1;
  end if;
  if found then
    raise exception using errcode = 'OR001', message = v_fault;
  end if;
end;
$$;
