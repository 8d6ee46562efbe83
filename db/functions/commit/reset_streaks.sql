-- A channel that delivers has no error streak any more.
--
-- Concurrency: locks channels in order, but only those that have a streak: usually none, and then
-- nothing is locked or written.
create or replace function outrider.reset_streaks(p_workspace_id text, p_delivery_ids uuid[], p_now timestamptz)
  returns void
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  if not exists (
    select from outrider.channels c where c.workspace_id = p_workspace_id and c.error_streak > 0
  ) then
    return;
  end if;

  update outrider.channels c
  set error_streak = 0, updated_at = p_now
  from (
    select x.channel_id from outrider.channels x
    where x.workspace_id = p_workspace_id and x.error_streak > 0
      and x.channel_id in (
        select d.channel_id from outrider.deliveries d
        where d.workspace_id = p_workspace_id and d.delivery_id = any (p_delivery_ids) and d.status = 'sending'
      )
    order by x.channel_id
    for no key update
  ) locked
  where c.workspace_id = p_workspace_id and c.channel_id = locked.channel_id;
end;
$$;
