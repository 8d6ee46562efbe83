-- Adds the events of a span of time to the counters.
--
-- A packed event says how many deliveries it is of; for those that were sent see sent_by_channel.
create or replace function outrider.count_events(p_from timestamptz, p_to timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  with happened as materialized (
    select w.workspace_id, e.action, e.channel_id, e.delivery_ids, e.meta
    from outrider.workspaces w
    cross join lateral (
      select x.action, x.channel_id, x.delivery_ids, x.meta
      from outrider.event_log x
      where x.workspace_id = w.workspace_id and x.ts >= p_from and x.ts < p_to
    ) e
  ),
  by_channel as (
    select h.workspace_id, h.action, h.channel_id, count(*) as value
    from happened h
    where h.action not in ('enqueue', 'send_attempt', 'sent')
    group by h.workspace_id, h.action, h.channel_id
    union all
    select h.workspace_id, h.action, c.channel_id, sum(c.sent)
    from happened h
    cross join lateral outrider.sent_by_channel(h.delivery_ids, h.channel_id, h.meta) c
    where h.action = 'sent'
    group by h.workspace_id, h.action, c.channel_id
  ),
  named as (
    select
      b.workspace_id,
      case when o.outcome is null then 'outrider_events_total' else 'outrider_deliveries_total' end as metric,
      case when o.outcome is null then '' else coalesce(c.platform, '') end as platform,
      case when o.outcome is null then '' else coalesce(b.channel_id, '') end as channel_id,
      coalesce(o.outcome, b.action::text) as label, b.value
    from by_channel b
    left join outrider.channels c on c.workspace_id = b.workspace_id and c.channel_id = b.channel_id
    cross join lateral (
      select case b.action
        when 'sent' then 'sent'
        when 'retry_scheduled' then 'retry'
        when 'failed_permanent' then 'failed_permanent'
        when 'dead_letter' then 'dead'
        when 'dedup_suppressed' then 'deduped'
        when 'validation_failed' then 'validation_failed'
      end as outcome
    ) o
    union all
    select
      h.workspace_id,
      case h.action when 'enqueue' then 'outrider_deliveries_queued_total' else 'outrider_send_attempts_total' end,
      '', '', '', sum(coalesce(cardinality(h.delivery_ids), 1))
    from happened h
    where h.action in ('enqueue', 'send_attempt')
    group by h.workspace_id, h.action
  )
  insert into outrider.metric_counters as m (workspace_id, metric, platform, channel_id, label, value)
  select n.workspace_id, n.metric, n.platform, n.channel_id, n.label, sum(n.value)
  from named n
  group by n.workspace_id, n.metric, n.platform, n.channel_id, n.label
  on conflict (workspace_id, metric, platform, channel_id, label) do update set value = m.value + excluded.value;
end;
$$;
