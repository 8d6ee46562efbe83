create or replace function outrider.health_snapshot(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_shown json;
  v_failed record;
  v_stopped json;
  v_services record;
  v_transaction record;
begin
  perform outrider.require_workspace('health_snapshot', p_workspace_id);
  perform outrider.require_time('health_snapshot', p_now);
  v_shown := outrider.show_workspace(p_workspace_id, p_now);

  select count(*) filter (where d.status = 'failed_permanent') as failed_permanent, count(*) filter (where d.status = 'dead') as dead
  into v_failed
  from (
    select x.status from outrider.deliveries x
    where x.workspace_id = p_workspace_id and x.failed_at is not null and x.failed_at <= p_now
    order by x.failed_at desc
    limit 10000
  ) d;

  select coalesce(json_agg(json_build_object('channel_id', x.channel_id, 'state', x.state, 'reason', x.reason)), '[]') into v_stopped
  from (
    select c.channel_id, g.state, g.reason
    from outrider.channels c
    left join outrider.platform_limits l
      on l.workspace_id = c.workspace_id and l.platform = c.platform and l.rate_group = c.rate_group
    cross join lateral outrider.channel_gate(c, l, p_now) g
    where c.workspace_id = p_workspace_id and g.state not in ('open', 'closed')
    order by c.channel_id
    limit 100
  ) x;

  select count(*) filter (where h.seen_at >= p_now - interval '30 seconds') as alive,
    count(*) filter (where h.seen_at >= p_now - interval '30 seconds' and h.ready) as ready,
    count(*) filter (where h.seen_at < p_now - interval '30 seconds' and h.seen_at > p_now - interval '1 day') as silent
  into v_services
  from outrider.service_heartbeats h;
  v_transaction := outrider.oldest_transaction();

  return json_build_object(
    'workspace_id', p_workspace_id, 'now', p_now,
    'by_status', jsonb_build_object(
      'queued', (v_shown #>> '{waiting,due}')::integer + (v_shown #>> '{waiting,scheduled}')::integer,
      'retry', v_shown #> '{waiting,retrying}', 'claimed', v_shown #> '{waiting,claimed}', 'sending', v_shown #> '{sending,open}',
      'failed_permanent', v_failed.failed_permanent, 'dead', v_failed.dead),
    'last_hour', v_shown -> 'last_hour', 'top_errors', v_shown -> 'last_errors', 'at_least', v_shown -> 'at_least',
    'oldest_due', v_shown -> 'oldest_due', 'channels_stopped', v_stopped,
    'services', json_build_object('alive', v_services.alive, 'ready', v_services.ready, 'silent', v_services.silent),
    'oldest_transaction', case when v_transaction.is_known then to_json(v_transaction.since) else to_json('unknown'::text) end,
    'alerts', v_shown -> 'alerts'
  );
end;
$$;

comment on function outrider.health_snapshot is $doc$How a workspace is doing: what a health snapshot tells its alert targets (snapshot_every).

Returns: {workspace_id, now, by_status {queued, retry, claimed, sending, failed_permanent, dead}, last_hour, top_errors,
at_least, oldest_due, alerts (these as show_workspace has them), channels_stopped [{channel_id, state, reason}], services
{alive, ready, silent}, oldest_transaction}. Deliveries that are due while their channel waits count as queued, failed and
dead ones are counted among the latest 10,000 failures. oldest_transaction is when the oldest open transaction began; it
is "unknown" where the owner of the functions may not see those of other logins.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.health_snapshot to outrider_reader;
