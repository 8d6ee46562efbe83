-- Roles of the cluster. They are shared by all databases of one server, so this file only ever
-- creates what is missing. Run it as an administrator when the migrating login may not create roles.
--
--   outrider_owner    owns the schema and every function; nobody logs in as it
--   outrider_service  Outrider's own processes: every workspace
--   outrider_ingest   may take posts in      } for the workspaces that the login is bound to
--   outrider_worker   may claim and commit   } in outrider.workspace_logins
--   outrider_reader   may read               }
--   outrider_emitter    may write events into the outbox: for the logins of applications
--   outrider_publisher  may fetch events and record what became of them
--   outrider_consumer   may claim and mark the events that it processes: for the logins of consumers
--   outrider_retention  may delete published events; must be granted to a login by name, the services do not have it
--   outrider_privileged may read raw requests and answers; must be granted to a login by name, as for retention
--
-- A tenant's login is a member of ingest, worker or reader, never of service or owner. The outbox belongs to no
-- workspace: its roles are not for tenants.
do $$
declare
  v_role text;
begin
  foreach v_role in array array[
    'outrider_owner', 'outrider_ingest', 'outrider_worker', 'outrider_reader', 'outrider_service',
    'outrider_emitter', 'outrider_publisher', 'outrider_consumer', 'outrider_retention', 'outrider_privileged'
  ] loop
    if not exists (select from pg_roles where rolname = v_role) then
      begin
        execute format('create role %I nologin nosuperuser nobypassrls', v_role);
      exception
        when duplicate_object or unique_violation then null; -- another database's migrator was first
      end;
    end if;
  end loop;

  foreach v_role in array array[
    'outrider_ingest', 'outrider_worker', 'outrider_reader', 'outrider_emitter', 'outrider_publisher',
    'outrider_consumer'
  ] loop
    if not pg_has_role('outrider_service', v_role, 'member') then
      execute format('grant %I to outrider_service', v_role);
    end if;
  end loop;

  -- The owner's functions look for transactions that somebody has left open. Where this login may not grant it, they say
  -- that nothing is known about those of other logins.
  if not pg_has_role('outrider_owner', 'pg_read_all_stats', 'member') then
    begin
      grant pg_read_all_stats to outrider_owner;
    exception
      when insufficient_privilege then null;
    end;
  end if;

  -- The migrating login creates objects on the owner's behalf.
  if not pg_has_role(current_user, 'outrider_owner', 'member') then
    execute format('grant outrider_owner to %I', current_user);
  end if;
  -- It also runs the services, unless they have a login of their own.
  if not pg_has_role(current_user, 'outrider_service', 'member') then
    execute format('grant outrider_service to %I', current_user);
  end if;
  -- Whoever may migrate may change every function, and so reads raw payloads, too: on record, like anybody else.
  if not pg_has_role(current_user, 'outrider_privileged', 'member') then
    execute format('grant outrider_privileged to %I', current_user);
  end if;
end;
$$;
