-- Brings the alert targets of a workspace to what a document says. Pruning deletes a target with the messages that wait for
-- it. A chat is on the platform of its credential; a credential that is not configured is a warning.
--
-- Concurrency: locks the targets in order, after the channels, and before their notifications.
create or replace function outrider.apply_alert_targets(p_document jsonb, p_prune boolean, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_before jsonb;
  v_row jsonb;
  v_change jsonb;
  v_id text;
begin
  perform from outrider.alert_targets t where t.workspace_id = v_workspace_id order by t.alert_target_id for no key update;
  select coalesce(jsonb_object_agg(t.alert_target_id, to_jsonb(t)), '{}') into v_before
  from outrider.alert_targets t where t.workspace_id = v_workspace_id;

  for v_id in
    select b.key from jsonb_object_keys(v_before) as b (key)
    where not coalesce(p_document -> 'alert_targets' ? b.key, false) order by b.key
  loop
    if p_prune and p_document ? 'alert_targets' then
      delete from outrider.alert_targets t where t.workspace_id = v_workspace_id and t.alert_target_id = v_id;
      v_change := outrider.configuration_change('alert_target', v_id, 'remove', null);
    else
      v_change := outrider.unlisted('alert_target', v_id, p_document, p_prune, null);
    end if;
    return next v_change;
  end loop;

  for v_id, v_row in
    select t.id, t.fields from outrider.configured_things(p_document) t where t.kind = 'alert_target' order by t.id
  loop
    v_change := outrider.apply_row('alert_target', 'alert_targets', v_id,
      jsonb_build_object('workspace_id', v_workspace_id, 'alert_target_id', v_id), v_before -> v_id, v_row, p_now);
    return next outrider.with_warnings(v_change, outrider.disabled_warning(v_before -> v_id, v_row), (
      select format('credential %s is not configured: nothing can be told there', outrider.excerpt(t.auth_ref))
      from outrider.alert_targets t
      where t.workspace_id = v_workspace_id and t.alert_target_id = v_id and t.auth_ref is not null and not exists (
        select from outrider.credential_bindings b where b.workspace_id = v_workspace_id and b.auth_ref = t.auth_ref)));
  end loop;
end;
$$;
