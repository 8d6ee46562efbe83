-- Adds what became of deliveries since p_round.counted_until, and until p_until, to the samples of their channels.
--
-- What has no channel, such as an item of a source that was no post, is not counted.
-- Plans: the actions stand in the text, so that PostgreSQL may use event_log_by_action_idx.
-- Concurrency: the caller has locked p_round, so nothing is counted twice.
create or replace function outrider.sample_channels(p_round outrider.sample_rounds, p_until timestamptz)
  returns void
  language plpgsql
  volatile
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_workspace_id constant text := p_round.workspace_id;
  v_since constant timestamptz := greatest(p_round.counted_until, p_until - interval '1 hour');
begin
  insert into outrider.channel_samples as s (workspace_id, at, channel_id, sent, retried, failed)
  select
    v_workspace_id, date_bin('5 minutes', x.ts, 'epoch'), x.channel_id, coalesce(sum(x.deliveries) filter (where x.became = 'sent'), 0),
    count(*) filter (where x.became = 'retried'), count(*) filter (where x.became = 'failed')
  from (
    select 'sent' as became, e.ts, c.channel_id, c.sent as deliveries
    from (
      select y.ts, y.delivery_ids, y.channel_id, y.meta from outrider.event_log y
      where y.workspace_id = v_workspace_id and y.ts > v_since and y.ts <= p_until and y.action = 'sent'
      offset 0
    ) e
    cross join lateral outrider.sent_by_channel(e.delivery_ids, e.channel_id, e.meta) c
    union all
    select 'retried', e.ts, e.channel_id, 1 from outrider.event_log e
    where e.workspace_id = v_workspace_id and e.action = 'retry_scheduled' and e.ts > v_since and e.ts <= p_until
    union all
    select 'failed', e.ts, e.channel_id, 1 from outrider.event_log e
    where e.workspace_id = v_workspace_id and e.action = 'failed_permanent' and e.ts > v_since and e.ts <= p_until
    union all
    select 'failed', e.ts, e.channel_id, 1 from outrider.event_log e
    where e.workspace_id = v_workspace_id and e.action = 'dead_letter' and e.ts > v_since and e.ts <= p_until
    union all
    select 'failed', e.ts, e.channel_id, 1 from outrider.event_log e
    where e.workspace_id = v_workspace_id and e.action = 'validation_failed' and e.ts > v_since and e.ts <= p_until
  ) x
  where x.channel_id is not null
  group by 2, 3
  on conflict (workspace_id, at, channel_id) do update
  set sent = s.sent + excluded.sent, retried = s.retried + excluded.retried, failed = s.failed + excluded.failed;
end;
$$;
