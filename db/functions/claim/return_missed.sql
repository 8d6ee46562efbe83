-- Puts deliveries back into the queue that a claim took out of it but could not move, because somebody
-- changed them in that instant.
create or replace function outrider.return_missed(p_workspace_id text, p_delivery_ids uuid[])
  returns void
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  insert into outrider.delivery_queue (workspace_id, channel_id, available_at, seq, delivery_id, claimed)
  select d.workspace_id, d.channel_id, '-infinity', d.seq, d.delivery_id, false
  from outrider.deliveries d
  where d.workspace_id = p_workspace_id and d.delivery_id = any (p_delivery_ids)
    and d.status in ('queued', 'retry')
    and not exists (
      select from outrider.delivery_queue q
      where q.workspace_id = d.workspace_id and q.channel_id = d.channel_id
        and q.available_at in ('-infinity', d.not_before, d.next_retry_at) and q.seq = d.seq
    );

  -- A slot given out ahead is given up with it.
  update outrider.deliveries d
  set status = 'queued', claim_token = null, claimed_at = null
  where d.workspace_id = p_workspace_id and d.delivery_id = any (p_delivery_ids) and d.status = 'claimed';
end;
$$;
