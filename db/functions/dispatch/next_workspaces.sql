create or replace function outrider.next_workspaces(
  p_dispatcher text,
  p_limit integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (workspace_id text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_start text;
  v_at text;
  v_found integer := 0;
  v_wrapped boolean := false;
begin
  perform outrider.require_run('next_workspaces', 'dispatcher', p_dispatcher, p_limit, p_now);

  v_start := coalesce(
    (select s.workspace_id_last from outrider.dispatcher_state s where s.dispatcher = p_dispatcher), '');

  v_at := v_start;
  loop
    select q.workspace_id into v_at
    from outrider.delivery_queue q
    where q.workspace_id > v_at
    order by q.workspace_id
    limit 1;

    if not found then
      exit when v_wrapped or v_start = '';
      v_wrapped := true;
      v_at := '';
      continue;
    end if;
    exit when v_wrapped and v_at > v_start;

    if outrider.workspace_due_at(v_at) <= p_now then
      workspace_id := v_at;
      return next;
      v_found := v_found + 1;
      exit when v_found = p_limit;
    end if;
  end loop;

  -- The cursor is written only when it has moved: most calls of an idle dispatcher write nothing.
  if v_found > 0 and next_workspaces.workspace_id <> v_start then
    insert into outrider.dispatcher_state as s (dispatcher, workspace_id_last, updated_at)
    values (p_dispatcher, next_workspaces.workspace_id, p_now)
    on conflict (dispatcher) do update
    set workspace_id_last = excluded.workspace_id_last, updated_at = excluded.updated_at;
  end if;
end;
$$;

comment on function outrider.next_workspaces is $doc$The workspaces that a dispatcher should claim from next: those that have a due delivery, in turn. Each call goes on
where the last call under the same name stopped.

Reads only the queue: a workspace with an empty queue costs nothing.
Concurrency: dispatchers that share a name share the cursor. Two that read it at once get the same workspaces, and
their claims run one after the other.
Raises: OR001.$doc$;

grant execute on function outrider.next_workspaces to outrider_service;
