create or replace function outrider.extend_bot_replies(
  p_workspace_id text,
  p_reply_ids uuid[],
  p_claim_token uuid,
  p_now timestamptz default clock_timestamp()
)
  returns table (reply_id uuid, lease_ms bigint)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('extend_bot_replies', p_workspace_id);
  perform outrider.require_commit('extend_bot_replies', p_claim_token, p_now);
  perform outrider.require_bot_replies('extend_bot_replies', p_reply_ids);

  return query
  with held as (
    select o.reply_id from outrider.bot_outbox o
    where o.workspace_id = p_workspace_id and o.reply_id = any (p_reply_ids) and o.status = 'sending'
      and o.claim_token = p_claim_token and o.lease_until >= p_now
    order by o.reply_id
    for no key update
  )
  update outrider.bot_outbox o
  set lease_until = greatest(o.lease_until, p_now + s.sending_lease)
  from held h, outrider.workspace_settings s
  where o.workspace_id = p_workspace_id and o.reply_id = h.reply_id and s.workspace_id = p_workspace_id
  returning o.reply_id, (extract(epoch from o.lease_until - p_now) * 1000)::bigint;
end;
$$;

comment on function outrider.extend_bot_replies is $doc$Keeps replies that are being sent from being taken for lost: their leases last for sending_lease from now on.

Concurrency: locks the replies in order.
Returns: a row for each reply that is still held under the token; one that is missing has lost its lease.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.extend_bot_replies to outrider_worker;
