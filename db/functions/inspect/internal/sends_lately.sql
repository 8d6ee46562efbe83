-- What some channels sent in the last minute, and what else became of their deliveries, from the events.
--
-- Of a busy minute only the end is counted: the latest 2,000 events, and of these the latest 2,000 deliveries that were
-- sent. So a look costs the same however much is sent, and a pace is found by dividing by the time since `since`.
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

  with latest as materialized (
    select e.ts, u.id
    from outrider.event_log e
    cross join lateral unnest(coalesce(e.delivery_ids, array[e.delivery_id])) as u (id)
    where e.workspace_id = p_workspace_id and e.ts > since and e.ts <= p_now and e.action = 'sent'
    order by e.ts desc
    limit v_most
  ),
  of_channels as (
    select d.channel_id, count(*) as sent
    from latest l
    cross join lateral (
      select x.workspace_id, x.channel_id from outrider.deliveries x where x.delivery_id = l.id
      offset 0 -- by the id alone, see next_steps
    ) d
    where d.workspace_id = p_workspace_id and d.channel_id = any (p_channels)
    group by d.channel_id
  )
  select
    (select count(*)::integer from latest), (select min(l.ts) from latest l),
    coalesce(jsonb_object_agg(o.channel_id, o.sent), '{}'), jsonb_build_object('sent', coalesce(sum(o.sent), 0))
  into v_count, v_first, sent, counts
  from of_channels o;
  since := case when v_count = v_most then v_first else since end;

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
