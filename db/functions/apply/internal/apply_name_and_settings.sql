-- Brings the workspace itself to what a document says: its name, status and settings. A new workspace is made here.
--
-- Concurrency: holds the workspace's row until the transaction ends; a second apply waits here.
-- Returns: a change for the workspace, and one for its settings if the document has any.
create or replace function outrider.apply_name_and_settings(p_document jsonb, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_key constant jsonb := jsonb_build_object('workspace_id', v_workspace_id);
  v_fields constant jsonb := (select t.fields from outrider.configured_things(p_document) t where t.kind = 'workspace');
  v_before jsonb;
begin
  -- When two applies make the same workspace at once, the second waits for the first and then finds its row.
  perform pg_advisory_xact_lock(hashtext('outrider.apply_workspace'), hashtext(v_workspace_id));
  select to_jsonb(w) into v_before from outrider.workspaces w where w.workspace_id = v_workspace_id for no key update;
  return next outrider.apply_row('workspace', 'workspaces', v_workspace_id, v_key, v_before,
    case when v_before is null then jsonb_build_object('name', v_workspace_id) else '{}' end || v_fields, p_now);

  if p_document ? 'settings' then
    return next outrider.apply_row('settings', 'workspace_settings', v_workspace_id, v_key,
      (select to_jsonb(s) from outrider.workspace_settings s where s.workspace_id = v_workspace_id for no key update),
      p_document -> 'settings', p_now);
  end if;
end;
$$;
