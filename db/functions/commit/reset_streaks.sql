-- A channel that delivers has no error streak any more. Written only where there is one, and not for
-- an outcome that is stale.
--
-- Concurrency: only channels that the caller has locked (lock_for_commit). A streak that began since is
-- left alone: its failure came after.
create or replace function outrider.reset_streaks(
  p_workspace_id text,
  p_locked text[],
  p_sent_ids uuid[],
  p_tokens uuid[],
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  update outrider.channels c
  set error_streak = 0, updated_at = p_now
  where c.workspace_id = p_workspace_id and c.channel_id = any (p_locked) and c.error_streak > 0
    and c.channel_id in (
      select d.channel_id
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
