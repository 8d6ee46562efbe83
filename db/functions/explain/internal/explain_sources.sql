-- What the record says about an item of a pull source that did not become a message, and which sources bring nothing now.
--
-- p_item_ref: the item that is asked about, or null. Of the posts that failed their checks the latest 1,000 are searched.
-- Returns: `item` says why that item is not a message. `sources` names the sources that fail or have no next pull, those with
-- the most failures first, 20 at most.
create or replace function outrider.explain_sources(
  p_workspace_id text,
  p_item_ref text,
  out item outrider.explanation[],
  out sources outrider.explanation[]
)
  language plpgsql
  stable
as $$
declare
  v_kept constant text := outrider.mask_json(jsonb_build_object('item_ref', p_item_ref)) ->> 'item_ref';
begin
  item := array(
    select outrider.say('item_refused', null, jsonb_build_object(
      'source_id', f.meta ->> 'source_id', 'item_ref', v_kept, 'at', outrider.time_in_words(f.ts),
      'error', rtrim(f.error ->> 'message', '. ')))
    from outrider.latest_events(p_workspace_id, '{validation_failed}', null, tstzrange(null, null), 1000) f
    where f.meta ->> 'item_ref' = v_kept
    order by f.ts desc
    limit 1)
  || array(
    select outrider.say('item_held', c.next_pull_at, jsonb_build_object(
      'source_id', c.source_id, 'item_ref', v_kept,
      'pulls', case c.held_pulls when 1 then '1 pull' else c.held_pulls || ' pulls' end))
    from outrider.pull_cursors c
    where c.workspace_id = p_workspace_id and c.held_item = p_item_ref
    order by c.source_id);

  sources := array(
    select outrider.say(
      case when c.failures > 0 then 'source_failing' else 'source_idle' end, c.next_pull_at,
      jsonb_build_object('source_id', c.source_id, 'since', outrider.time_in_words(c.failing_since),
        'error', rtrim(c.last_error, '. ')))
    from outrider.pull_cursors c
    where c.workspace_id = p_workspace_id and (c.failures > 0 or c.next_pull_at is null)
    order by c.failures desc, c.source_id
    limit 20);
end;
$$;
