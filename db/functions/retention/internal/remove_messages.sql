-- Deletes messages that still have no delivery and were not seen since, and lowers the count of the blobs that they named.
--
-- Concurrency: the messages are locked first, and whether they have deliveries is asked in a later statement: an enqueue of
-- the same content that came in between is seen, and one that comes now waits and makes the message anew. Waits for nobody:
-- a message is left where it, or a blob that it names, is locked.
-- Returns: how many were deleted.
create or replace function outrider.remove_messages(
  p_workspace_id text,
  p_message_ids uuid[],
  p_unseen_since timestamptz
)
  returns integer
  language plpgsql
  volatile
as $$
declare
  v_ids constant uuid[] := array(
    select m.message_id
    from (
      select p_workspace_id as workspace_id, u.id from unnest(p_message_ids) as u (id) limit cardinality(p_message_ids)
    ) s
    join outrider.messages m on m.workspace_id = s.workspace_id and m.message_id = s.id
    where m.last_seen_at < p_unseen_since
    for update of m skip locked);
  v_named text[];
  v_locked text[];
  v_busy text[];
  v_removed integer;
begin
  v_named := array(
    select distinct e.item ->> 'blob_ref'
    from (select p_workspace_id as workspace_id, u.id from unnest(v_ids) as u (id) limit cardinality(v_ids)) s
    join outrider.messages m on m.workspace_id = s.workspace_id and m.message_id = s.id
    cross join lateral jsonb_array_elements(m.payload -> 'media') as e (item)
    where e.item ? 'blob_ref');
  v_locked := array(
    select o.blob_ref from outrider.media_origin o
    where o.workspace_id = p_workspace_id and o.blob_ref = any (v_named)
    for no key update skip locked);
  v_busy := array(
    select o.blob_ref from outrider.media_origin o
    where o.workspace_id = p_workspace_id and o.blob_ref = any (v_named) and o.blob_ref <> all (v_locked));

  with gone as (
    delete from outrider.messages m
    using (select p_workspace_id as workspace_id, u.id from unnest(v_ids) as u (id) limit cardinality(v_ids)) s
    where m.workspace_id = s.workspace_id and m.message_id = s.id
      and not exists (
        select from outrider.deliveries d where d.workspace_id = m.workspace_id and d.message_id = m.message_id)
      and not exists (
        select from jsonb_array_elements(m.payload -> 'media') as e (item) where e.item ->> 'blob_ref' = any (v_busy))
    returning m.message_id, m.payload
  ),
  released as (
    update outrider.media_origin o
    set ref_count = greatest(0, o.ref_count - r.messages)
    from (
      select e.item ->> 'blob_ref' as blob_ref, count(distinct g.message_id) as messages
      from gone g
      cross join lateral jsonb_array_elements(g.payload -> 'media') as e (item)
      where e.item ? 'blob_ref'
      group by 1
    ) r
    where o.workspace_id = p_workspace_id and o.blob_ref = r.blob_ref
  )
  select count(*)::integer into v_removed from gone;
  return v_removed;
end;
$$;
