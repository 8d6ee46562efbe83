-- Who sees what. Outrider's functions run as the owner after they have checked the caller's
-- workspace; a login that reads tables directly sees the workspaces that it is bound to.

do $$
declare
  v_table text;
begin
  for v_table in
    select c.relname
    from pg_class c -- partitions are reached through their parent only and need no policy
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
    where c.relnamespace = 'outrider'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition
    order by c.relname
  loop
    execute format('alter table outrider.%I enable row level security', v_table);
    execute format('alter table outrider.%I force row level security', v_table);
    execute format(
      'create policy functions_act_for_the_workspace_they_checked on outrider.%I
         to outrider_owner using (true) with check (true)', v_table);
    execute format(
      'create policy services_see_every_workspace on outrider.%I
         for select to outrider_service using (true)', v_table);
    if v_table = 'workspace_logins' then
      execute format(
        'create policy a_login_sees_its_own_bindings on outrider.%I
           for select using (login = current_user)', v_table);
    else
      execute format(
        'create policy a_login_sees_its_workspaces on outrider.%I
           for select using (
             workspace_id in (
               select l.workspace_id from outrider.workspace_logins l where l.login = current_user))',
        v_table);
    end if;
    execute format('grant select on outrider.%I to outrider_reader', v_table);
  end loop;
end;
$$;

alter table outrider.events_default enable row level security, force row level security;

grant select on outrider.workspace_logins to outrider_ingest, outrider_worker;
