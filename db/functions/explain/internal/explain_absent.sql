-- Why nothing is there that fits p_search: it was dropped or refused under that name, or it never came in; and then
-- everything else that keeps posts of the workspace from coming in.
create or replace function outrider.explain_absent(p_workspace_id text, p_search text, p_now timestamptz)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
declare
  v_of_sources record;
  v_said outrider.explanation[];
begin
  v_of_sources := outrider.explain_sources(p_workspace_id, p_search);
  v_said := outrider.explain_drop(p_workspace_id, p_search) || v_of_sources.item;
  if cardinality(v_said) = 0 then
    v_said := array[outrider.say('never_came_in', null, jsonb_build_object(
      'workspace_id', p_workspace_id, 'searched', outrider.posts_searched()))];
  end if;
  return v_said
    || array(
      select outrider.say('intake_workspace_disabled', null, jsonb_build_object('workspace_id', p_workspace_id))
      from outrider.workspaces w where w.workspace_id = p_workspace_id and w.status = 'disabled')
    || array(
      select outrider.say('intake_endpoint_disabled', null, jsonb_build_object('endpoint_id', e.endpoint_id))
      from outrider.workspace_endpoints e
      where e.workspace_id = p_workspace_id and e.kind = 'webhook_push' and not e.enabled
      order by e.endpoint_id
      limit 20)
    || outrider.explain_refused_requests(p_workspace_id, p_now)
    || v_of_sources.sources;
end;
$$;
