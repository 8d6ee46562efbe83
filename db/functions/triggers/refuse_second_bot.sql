-- Refuses a second bot on a platform in one workspace: a chat is known by its workspace, its platform and its id there, and
-- another bot has chats and messages with the same ids.
--
-- Concurrency: locks the workspace, so that of two endpoints that are written at once one is refused.
-- Raises: OR001, with the fault in words.
create or replace function outrider.refuse_second_bot()
  returns trigger
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_fault text;
begin
  perform from outrider.workspaces w where w.workspace_id = new.workspace_id for no key update;
  v_fault := outrider.second_bot_fault(new.workspace_id);
  if v_fault is not null then
    raise exception using errcode = 'OR001', message = case tg_table_name
      when 'workspace_endpoints' then format('endpoint %s: %s', outrider.excerpt(to_jsonb(new) ->> 'endpoint_id'), v_fault)
      else format('credential %s: %s', outrider.excerpt(new.auth_ref), v_fault)
    end;
  end if;
  return null;
end;
$$;

create or replace trigger workspace_endpoints_are_of_one_bot_on_a_platform
  after insert or update of kind, auth_ref, enabled on outrider.workspace_endpoints
  for each row
  when (new.auth_ref is not null and new.enabled)
  execute function outrider.refuse_second_bot();

create or replace trigger credential_bindings_are_of_one_bot_on_a_platform
  after insert or update of platform on outrider.credential_bindings
  for each row
  execute function outrider.refuse_second_bot();
