-- Locks the messages of those deliveries that were suppressed, in the order in which an enqueue locks them. An enqueue of
-- the same message then comes before the requeue or after it, and the two count its occurrences one after the other.
create or replace function outrider.lock_suppressed(p_workspace_id text, p_delivery_ids uuid[])
  returns void
  language plpgsql
  volatile
as $$
declare
  v_messages constant uuid[] := array(
    select d.message_id
    from (select p_workspace_id as workspace_id, u.id from unnest(p_delivery_ids) as u (id) limit cardinality(p_delivery_ids)) s
    join outrider.deliveries d on d.workspace_id = s.workspace_id and d.delivery_id = s.id
    where d.status = 'deduped');
begin
  if v_messages = '{}' then
    return;
  end if;
  perform
  from (select p_workspace_id as workspace_id, u.id from unnest(v_messages) as u (id) limit cardinality(v_messages)) s
  join outrider.messages m on m.workspace_id = s.workspace_id and m.message_id = s.id
  order by m.hash_version, m.content_hash
  for no key update of m;
end;
$$;
