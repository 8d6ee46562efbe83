-- Writes an event for each medium that an item of a chunk comes without.
--
-- p_new: the items that are taken now, with their messages (p_message_ids; null where the item has a fault).
-- Returns: how many there are; null when there is none.
create or replace function outrider.note_left_out(
  p_workspace_id text,
  p_source_id text,
  p_run_id text,
  p_items jsonb,
  p_new text[],
  p_message_ids uuid[],
  p_now timestamptz
)
  returns integer
  language plpgsql
  volatile
as $$
declare
  v_count integer;
begin
  if not exists (select from jsonb_array_elements(p_items) as i (item) where i.item ? 'left_out') then
    return null;
  end if;
  insert into outrider.event_log (workspace_id, id, message_id, ts, action, attempt, result, error, meta)
  select
    p_workspace_id, gen_random_uuid(), n.message_id, p_now, 'media_left_out', 0, 'error',
    outrider.normal_error(jsonb_build_object(
      'category', 'PERMANENT', 'scope', 'delivery', 'code', 'media_left_out', 'outcome', 'refused',
      'message', format('%s: %s', m.medium ->> 'path', m.medium ->> 'reason'))),
    outrider.mask_json(jsonb_build_object('run_id', p_run_id, 'source_id', p_source_id, 'item_ref', n.item_ref))
  from unnest(p_new, p_message_ids) as n (item_ref, message_id)
  cross join lateral (
    select i.item from jsonb_array_elements(p_items) with ordinality as i (item, place)
    where i.item ->> 'item_ref' = n.item_ref order by i.place limit 1
  ) f
  cross join jsonb_array_elements(f.item -> 'left_out') as m (medium);
  get diagnostics v_count = row_count;
  return nullif(v_count, 0);
end;
$$;
