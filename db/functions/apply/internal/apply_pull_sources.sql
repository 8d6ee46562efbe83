-- Brings the pull sources of a workspace to what a document says. Pruning disables a source that has been read, because
-- its cursor and receipts keep its items from being taken again. It deletes a source that was never read. A source that
-- is changed is due at once.
--
-- Concurrency: locks the sources in order, before the channels. ingest_pull_chunk, too, locks its source first.
create or replace function outrider.apply_pull_sources(p_document jsonb, p_prune boolean, p_now timestamptz)
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
  perform from outrider.pull_sources s where s.workspace_id = v_workspace_id order by s.source_id for no key update;
  select coalesce(jsonb_object_agg(s.source_id, to_jsonb(s)), '{}') into v_before
  from outrider.pull_sources s where s.workspace_id = v_workspace_id;

  for v_id, v_row in
    select b.key, b.value from jsonb_each(v_before) b
    where not coalesce(p_document -> 'pull_sources' ? b.key, false) order by b.key
  loop
    if not p_prune or not p_document ? 'pull_sources' then
      v_change := outrider.unlisted('pull_source', v_id, p_document, p_prune, null);
    elsif not exists (
        select from outrider.pull_cursors c
        where c.workspace_id = v_workspace_id and c.source_id = v_id and (c.pulled_at is not null or c.cursor_json <> '{}'))
      and not exists (select from outrider.pull_receipts r where r.workspace_id = v_workspace_id and r.source_id = v_id)
    then
      delete from outrider.pull_sources s where s.workspace_id = v_workspace_id and s.source_id = v_id;
      v_change := outrider.configuration_change('pull_source', v_id, 'remove', null);
    elsif v_row -> 'enabled' = 'true' then
      update outrider.pull_sources s set enabled = false where s.workspace_id = v_workspace_id and s.source_id = v_id;
      v_change := outrider.configuration_change('pull_source', v_id, 'remove', null, 'disabled: its receipts stay');
    else
      v_change := outrider.unlisted('pull_source', v_id, p_document, p_prune, 'it is disabled');
    end if;
    return next v_change;
  end loop;

  for v_id, v_row in
    select t.id, t.fields from outrider.configured_things(p_document) t where t.kind = 'pull_source' order by t.id
  loop
    v_change := outrider.apply_row('pull_source', 'pull_sources', v_id,
      jsonb_build_object('workspace_id', v_workspace_id, 'source_id', v_id), v_before -> v_id, v_row, p_now);
    if v_change ->> 'action' = 'change' then
      update outrider.pull_cursors c set next_pull_at = p_now
      where c.workspace_id = v_workspace_id and c.source_id = v_id and c.next_pull_at is not null;
    end if;
    if v_change -> 'fields' ? 'config_json' then
      v_change := jsonb_set(v_change, '{fields,config}', v_change #> '{fields,config_json}') #- '{fields,config_json}';
    end if;
    return next outrider.with_warnings(v_change, outrider.disabled_warning(v_before -> v_id, v_row),
      outrider.source_credential_warning(p_document, v_id));
  end loop;
end;
$$;
