create or replace function outrider.forget_payloads(p_workspace_id text, p_payload_refs text[])
  returns integer
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_forgotten integer;
begin
  perform outrider.require_workspace('forget_payloads', p_workspace_id);
  perform outrider.require_names('forget_payloads', 'payload_refs', p_payload_refs, clock_timestamp());
  if cardinality(p_payload_refs) = 0 then
    raise exception using errcode = 'OR001', message = 'forget_payloads: payload_refs is empty';
  end if;
  delete from outrider.raw_payloads r
  where r.workspace_id = p_workspace_id and r.payload_ref = any (p_payload_refs);
  get diagnostics v_forgotten = row_count;
  return v_forgotten;
end;
$$;

comment on function outrider.forget_payloads is $doc$Forgets raw payloads whose objects have been removed, and the links that lead to them. Who read them stays on record.

Returns: how many it has forgotten.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.forget_payloads to outrider_service;
