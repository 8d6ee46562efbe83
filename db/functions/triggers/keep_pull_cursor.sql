-- Gives a new pull source its row in pull_cursors, which says when it is read. A source that is changed loses its lease:
-- whoever reads it by the old configuration is refused. A source of another kind is read from its beginning, because a
-- cursor means something to its own kind only. When a source asks somebody else, or for something else, its cursor loses
-- where the last answer ended and which version it was; what it knows of items stays.
create or replace function outrider.keep_pull_cursor()
  returns trigger
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_is_read constant boolean := new.enabled and new.config_json ->> 'every' is distinct from 'never';
  -- The keys of a configuration that say what is asked, and those of a cursor that hold for that alone.
  v_asked constant text[] := array['url', 'auth', 'headers', 'items', 'paging', 'order', 'secret_ref', 'query', 'key'];
  v_bound constant text[] := array['etag', 'last_modified', 'place', 'key', 'columns'];
begin
  if tg_op = 'UPDATE' and (old.kind, old.config_json, old.enabled) is not distinct from (new.kind, new.config_json, new.enabled) then
    return null;
  end if;
  insert into outrider.pull_cursors as c (workspace_id, source_id, cursor_json, updated_at, next_pull_at)
  values (new.workspace_id, new.source_id, '{}', new.created_at, case when v_is_read then new.created_at end)
  on conflict (workspace_id, source_id) do update
  set next_pull_at = case when v_is_read then coalesce(c.next_pull_at, c.updated_at) end,
      lease_token = null, lease_until = null, leased_by = null;
  if tg_op = 'UPDATE' and (
    new.kind <> old.kind
    or exists (select from unnest(v_asked) k where old.config_json -> k is distinct from new.config_json -> k))
  then
    update outrider.pull_cursors c
    set cursor_json = case when new.kind <> old.kind then '{}' else c.cursor_json - v_bound end, held_item = null, held_pulls = 0
    where c.workspace_id = new.workspace_id and c.source_id = new.source_id;
  end if;
  return null;
end;
$$;

create or replace trigger pull_sources_have_a_cursor
  after insert or update of kind, config_json, enabled on outrider.pull_sources
  for each row
  execute function outrider.keep_pull_cursor();
