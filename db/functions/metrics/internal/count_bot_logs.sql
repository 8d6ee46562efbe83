-- Adds the turns of bots in a span of time, and their answers that were not sent, to the counters.
create or replace function outrider.count_bot_logs(p_from timestamptz, p_to timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  insert into outrider.metric_counters as m (workspace_id, metric, platform, label, value)
  select
    w.workspace_id,
    case when l.action in ('retry', 'failed', 'dead', 'lease_expired')
      then 'outrider_bot_reply_failures_total' else 'outrider_bot_turns_total' end,
    l.provider, l.action, count(*)
  from outrider.workspaces w
  cross join lateral (
    select x.provider, x.action
    from outrider.bot_logs x
    where x.workspace_id = w.workspace_id and x.ts >= p_from and x.ts < p_to
  ) l
  group by w.workspace_id, l.provider, l.action
  on conflict (workspace_id, metric, platform, channel_id, label) do update set value = m.value + excluded.value;
end;
$$;
