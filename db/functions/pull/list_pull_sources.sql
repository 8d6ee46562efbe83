create or replace function outrider.list_pull_sources(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    source_id text,
    kind text,
    enabled boolean,
    config jsonb,
    cursor jsonb,
    state text,
    pulled_at timestamptz,
    next_pull_at timestamptz,
    items_taken bigint,
    last_item_at timestamptz,
    failures integer,
    failing_since timestamptz,
    last_error text,
    held_item text,
    held_pulls integer,
    auth_ref text,
    secret_ref text,
    platform text,
    rate_group text
  )
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('list_pull_sources', p_workspace_id);
  perform outrider.require_time('list_pull_sources', p_now);

  return query
  select
    s.source_id, s.kind, s.enabled, s.config_json, c.cursor_json,
    case
      when not s.enabled then 'disabled'
      when c.lease_until > p_now then 'pulling'
      when c.failures > 0 then 'failing'
      when c.held_item is not null then 'held'
      when c.next_pull_at <= p_now then 'due'
      when c.next_pull_at is null then 'manual'
      else 'waiting'
    end,
    c.pulled_at, c.next_pull_at, c.items_taken, c.last_item_at, c.failures, c.failing_since, c.last_error,
    c.held_item, c.held_pulls,
    s.config_json ->> 'auth_ref', b.secret_ref, b.platform, coalesce(s.config_json ->> 'rate_group', s.config_json ->> 'auth_ref')
  from outrider.pull_sources s
  join outrider.pull_cursors c on c.workspace_id = s.workspace_id and c.source_id = s.source_id
  left join outrider.credential_bindings b
    on b.workspace_id = s.workspace_id and b.auth_ref = s.config_json ->> 'auth_ref'
  where s.workspace_id = p_workspace_id
  order by s.source_id;
end;
$$;

comment on function outrider.list_pull_sources is $doc$The pull sources of a workspace: when each was read and is read next, what it brought, and what is wrong with it.

state: disabled; pulling (somebody reads it now); failing (it could not be read, see last_error); held (a medium of
held_item cannot be fetched for now); due; manual (no puller reads it: `every: never`); waiting (for next_pull_at).
Returns: one row for each source, by source_id. `items_taken` counts all that it ever brought, `last_item_at` is when the
last of them came.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_pull_sources to outrider_reader;
