-- Counts what happened in a workspace since a time, from its events. Deliveries: sent, retried, failed, dead, deduped.
-- Requests: refused (they were no posts, or came too fast) and repeated (the endpoint had accepted them before).
--
-- Each kind of event is counted up to 10,000. Sent deliveries are counted among the latest 30,000 events of all kinds;
-- an event of several deliveries counts for each of them.
-- Returns: `cut` names the counts that are only a lower bound.
create or replace function outrider.recent_counts(
  p_workspace_id text,
  p_since timestamptz,
  p_now timestamptz,
  out counts jsonb,
  out cut text[]
)
  language plpgsql
  stable
as $$
declare
  v_kind record;
  v_count integer;
  v_looked_at integer;
begin
  select
    coalesce(sum(coalesce(cardinality(e.delivery_ids), 1)) filter (where e.action = 'sent'), 0)::integer, count(*)::integer
  into v_count, v_looked_at
  from (
    select x.action, x.delivery_ids from outrider.event_log x
    where x.workspace_id = p_workspace_id and x.ts >= p_since and x.ts <= p_now
    order by x.ts desc
    limit 30000
  ) e;
  counts := jsonb_build_object('sent', v_count, 'retried', 0, 'failed', 0, 'dead', 0, 'deduped', 0,
    'refused', 0, 'repeated', 0);
  cut := case when v_looked_at = 30000 then array['sent'] else '{}' end;

  for v_kind in
    select k.name, k.action
    from (values
      ('retried', 'retry_scheduled'), ('failed', 'failed_permanent'), ('failed', 'validation_failed'),
      ('dead', 'dead_letter'), ('deduped', 'dedup_suppressed'), ('refused', 'ingress_rate_limited'),
      ('refused', 'ingress_payload_rejected'), ('repeated', 'ingress_dedup_dropped')
    ) as k (name, action)
  loop
    -- event_log_by_action_idx leaves out the commonest actions. PostgreSQL uses it only when the text of the query
    -- shows that it asks for none of them.
    execute format(
      'select count(*)::integer
       from (
         select from outrider.event_log e
         where e.workspace_id = $1 and e.action = %L and e.ts >= $2 and e.ts <= $3
         limit 10000
       ) x', v_kind.action)
    into v_count using p_workspace_id, p_since, p_now;
    counts := counts || jsonb_build_object(v_kind.name, (counts ->> v_kind.name)::integer + v_count);
    if v_count = 10000 then
      cut := cut || v_kind.name;
    end if;
  end loop;
end;
$$;
