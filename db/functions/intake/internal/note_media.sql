-- Notes that blobs of the origin store are in use: when they were last seen, and one reference for each new message.
--
-- Concurrency: blobs are locked in order, after the messages that refer to them.
create or replace function outrider.note_media(
  p_workspace_id text,
  p_message_ids uuid[],
  p_known boolean[],
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_refs text[];
  v_counts bigint[];
begin
  select array_agg(b.blob_ref), array_agg(b.new_messages) into v_refs, v_counts
  from (
    select e.item ->> 'blob_ref' as blob_ref, count(distinct m.message_id) filter (where not x.known) as new_messages
    from unnest(p_message_ids, p_known) as x (message_id, known)
    join outrider.messages m on m.workspace_id = p_workspace_id and m.message_id = x.message_id
    cross join lateral jsonb_array_elements(m.payload -> 'media') as e (item)
    where e.item ? 'blob_ref'
    group by 1
  ) b;

  perform from outrider.media_origin o
  where o.workspace_id = p_workspace_id and o.blob_ref = any (v_refs)
  order by o.blob_ref
  for no key update;

  update outrider.media_origin o
  set last_seen_at = greatest(o.last_seen_at, p_now), ref_count = o.ref_count + u.new_messages
  from unnest(v_refs, v_counts) as u (blob_ref, new_messages)
  where o.workspace_id = p_workspace_id and o.blob_ref = u.blob_ref;
end;
$$;
