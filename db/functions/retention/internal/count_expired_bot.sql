-- Counts what sweep_bot would delete, in all workspaces.
--
-- Concurrency: locks nothing. Reads the tables from end to end.
create or replace function outrider.count_expired_bot(p_now timestamptz)
  returns setof outrider.purged
  language sql
  stable
as $$
  select 'bot_inbox', i.workspace_id, count(*), false, null::text
  from outrider.bot_inbox i
  join outrider.workspace_settings s on s.workspace_id = i.workspace_id
  where i.received_at < p_now - s.bot_inbox_retention and i.turn_at is not null
  group by i.workspace_id
  union all
  select 'bot_logs', l.workspace_id, count(*), false, null
  from outrider.bot_logs l
  join outrider.workspace_settings s on s.workspace_id = l.workspace_id
  where l.ts < p_now - s.bot_logs_retention
  group by l.workspace_id
  union all
  select 'bot_outbox', o.workspace_id, count(*), false, null
  from outrider.bot_outbox o
  join outrider.workspace_settings s on s.workspace_id = o.workspace_id
  where o.created_at < p_now - s.bot_logs_retention and o.status in ('sent', 'failed', 'dead')
  group by o.workspace_id
  union all
  select 'bot_state', x.workspace_id, count(*), false, null
  from outrider.bot_state x
  join outrider.workspace_settings s on s.workspace_id = x.workspace_id
  where x.updated_at < p_now - s.bot_logs_retention and coalesce(x.handed_over_until < p_now, true)
  group by x.workspace_id;
$$;
