-- Locks what a commit of replies will write: the chats, then the rate groups that a failure concerns or whose streak of
-- failures a success ends. Each in order; a group without a row gets one.
create or replace function outrider.lock_for_bot_commit(p_workspace_id text, p_outcomes jsonb, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_groups text[];
begin
  perform from outrider.bot_state s
  where s.workspace_id = p_workspace_id and (s.provider, s.chat_id) in (
    select o.provider, o.chat_id from jsonb_to_recordset(p_outcomes) as u (reply_id uuid)
    join outrider.bot_outbox o on o.workspace_id = p_workspace_id and o.reply_id = u.reply_id)
  order by s.provider, s.chat_id
  for no key update;

  v_groups := array(
    select distinct o.provider || '/' || o.rate_group
    from jsonb_to_recordset(p_outcomes) as u (reply_id uuid, ok boolean, error jsonb)
    join outrider.bot_outbox o on o.workspace_id = p_workspace_id and o.reply_id = u.reply_id
    left join outrider.platform_limits g
      on g.workspace_id = o.workspace_id and g.platform = o.provider and g.rate_group = o.rate_group
    where case when u.ok then g.outage_channels is not null else outrider.touches_group(outrider.complete_error(u.error)) end);
  if v_groups = '{}' then
    return;
  end if;
  insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
  select p_workspace_id, p.platform, substr(x.name, length(p.platform) + 2), p.group_rps, p_now
  from unnest(v_groups) as x (name)
  join outrider.platforms p on p.platform = split_part(x.name, '/', 1)
  where not exists (
    select from outrider.platform_limits g where g.workspace_id = p_workspace_id and g.platform || '/' || g.rate_group = x.name)
  order by x.name
  on conflict do nothing;
  perform from outrider.platform_limits g
  where g.workspace_id = p_workspace_id and g.platform || '/' || g.rate_group = any (v_groups)
  order by g.platform, g.rate_group
  for no key update;
end;
$$;
