-- The channels in which sends have succeeded; null when there are none. A success counts only while its delivery is
-- still `sending` under its token. The arrays run in parallel.
create or replace function outrider.delivering_channels(p_workspace_id text, p_sent_ids uuid[], p_tokens uuid[])
  returns text[]
  language plpgsql
  stable
as $$
begin
  return (
    select array_agg(distinct d.channel_id)
    from (
      select p_workspace_id as workspace_id, u.*
      from unnest(p_sent_ids, p_tokens) as u (delivery_id, claim_token)
      limit cardinality(p_sent_ids)
    ) o
    join outrider.deliveries d on d.workspace_id = o.workspace_id and d.delivery_id = o.delivery_id
    where d.status = 'sending' and d.claim_token = o.claim_token
  );
end;
$$;
