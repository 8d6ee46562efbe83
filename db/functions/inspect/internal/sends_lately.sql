-- What some channels sent in the last minute, and what else became of their deliveries, from the events.
--
-- Of a busy minute only the end is counted: the latest 2,000 events. So a look costs the same however much is sent, and a
-- pace is found by dividing by the time since `since`.
-- Returns: `since` is from when on it was counted; `sent` has the number of each channel that sent something; `counts` is
-- {sent, retried, failed, dead, deduped}.
create or replace function outrider.sends_lately(
  p_workspace_id text,
  p_channels text[],
  p_now timestamptz,
  out since timestamptz,
  out sent jsonb,
  out counts jsonb
)
  language plpgsql
  stable
as $$
declare
  v_most constant integer := 2000;
  v_count integer;
  v_first timestamptz;
begin
  select count(*)::integer, min(e.ts) into v_count, v_first
  from (
    select x.ts from outrider.event_log x
    where x.workspace_id = p_workspace_id and x.ts > p_now - interval '1 minute' and x.ts <= p_now
    order by x.ts desc
    limit v_most
  ) e;
  since := case when v_count = v_most then v_first else p_now - interval '1 minute' end;

  select coalesce(jsonb_object_agg(o.channel_id, o.sent), '{}'), jsonb_build_object('sent', coalesce(sum(o.sent), 0))
  into sent, counts
  from (
    select c.channel_id, sum(c.sent) as sent
    from outrider.event_log e
    cross join lateral outrider.sent_by_channel(e.delivery_ids, e.channel_id, e.meta) c
    where e.workspace_id = p_workspace_id and e.ts > since and e.ts <= p_now and e.action = 'sent'
      and c.channel_id = any (p_channels)
    group by c.channel_id
  ) o;

  select counts || jsonb_build_object(
    'retried', count(*) filter (where e.action = 'retry_scheduled'),
    'failed', count(*) filter (where e.action in ('failed_permanent', 'validation_failed')),
    'dead', count(*) filter (where e.action = 'dead_letter'),
    'deduped', count(*) filter (where e.action = 'dedup_suppressed'))
  into counts
  from outrider.event_log e
  where e.workspace_id = p_workspace_id and e.ts > since and e.ts <= p_now and e.channel_id = any (p_channels);
end;
$$;
