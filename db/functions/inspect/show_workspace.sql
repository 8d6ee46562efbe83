create or replace function outrider.show_workspace(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_since constant timestamptz := p_now - interval '1 hour';
  v_channel_ids text[];
  v_workspace outrider.workspaces;
  v_waiting record;
  v_recent record;
  v_next timestamptz;
  v_channels json;
  v_sending json;
begin
  perform outrider.require_workspace('show_workspace', p_workspace_id);
  perform outrider.require_time('show_workspace', p_now);

  select w.* into v_workspace from outrider.workspaces w where w.workspace_id = p_workspace_id;
  v_channel_ids := outrider.channels_of(p_workspace_id);
  v_waiting := outrider.waiting_counts(p_workspace_id, v_channel_ids, 10000, p_now);
  v_recent := outrider.recent_counts(p_workspace_id, v_since, p_now);
  v_next := outrider.workspace_due_at(p_workspace_id);

  select json_build_object(
    'open', count(*) filter (where g.state = 'open'), 'paused', count(*) filter (where g.state = 'paused'),
    'cooling_down', count(*) filter (where g.state = 'cooling_down'), 'resting', count(*) filter (where g.state = 'resting'),
    'probing', count(*) filter (where g.state = 'probing'), 'closed', count(*) filter (where g.state = 'closed'),
    'credential_refused', count(*) filter (where g.state = 'credential_refused'),
    'disabled', count(*) filter (where g.state = 'disabled'))
  into v_channels
  from outrider.channels c
  left join outrider.platform_limits l
    on l.workspace_id = c.workspace_id and l.platform = c.platform and l.rate_group = c.rate_group
  cross join lateral outrider.channel_gate(c, l, p_now) g
  where c.workspace_id = p_workspace_id;

  select json_build_object(
    'open', coalesce(sum(l.open_count), 0),
    'expiring', coalesce(sum(l.open_count) filter (
      where l.lease_until >= p_now and l.lease_until < p_now + s.sending_lease / 3), 0),
    'expired', coalesce(sum(l.open_count) filter (where l.lease_until < p_now), 0))
  into v_sending
  from outrider.workspace_settings s
  join outrider.leases l on l.workspace_id = s.workspace_id
  where s.workspace_id = p_workspace_id;

  return json_build_object(
    'workspace_id', v_workspace.workspace_id, 'name', v_workspace.name, 'status', v_workspace.status, 'now', p_now,
    'waiting', json_build_object('due', v_waiting.due, 'scheduled', v_waiting.scheduled, 'retrying', v_waiting.retrying,
      'claimed', v_waiting.claimed),
    'oldest_due', outrider.oldest_due(p_workspace_id, v_channel_ids, p_now),
    'next_send_at', case when v_next < 'infinity' then greatest(v_next, p_now) end,
    'sending', v_sending,
    'channels', v_channels,
    'groups', outrider.stopped_groups(p_workspace_id, p_now),
    'last_hour', v_recent.counts,
    'last_errors', outrider.recent_errors(p_workspace_id, v_since, p_now),
    'alerts', outrider.alert_counts(p_workspace_id, p_now),
    'at_least', to_json(v_waiting.cut || v_recent.cut)
  );
end;
$$;

comment on function outrider.show_workspace is $doc$The state of a workspace, on one screen: what waits and what is being sent, whether its channels send, and what
happened in the last hour. Its cost does not grow with the number of deliveries that were ever sent.

Returns: {workspace_id, name, status, now, waiting {due, scheduled, retrying, claimed}, oldest_due {delivery_id,
channel_id, due_since}, next_send_at, sending {open, expiring, expired}, channels {open, paused, cooling_down,
resting, probing, closed, credential_refused, disabled}, groups [{platform, rate_group, state, since, until, reason,
channels}], last_hour {sent, retried, failed, dead, deduped, refused, repeated}, last_errors [{code, count, last_at,
channel_id, message}], alerts {open, critical, undelivered, evaluated}, at_least [names of counts]}.
`expiring` counts sends whose lease has less than a third left; a live sender extends its leases long before that.
`channels` counts channels by their state (list_channels), `groups` has the rate groups that do not send. `refused`
counts requests that were no posts or came too fast, `repeated` those that the endpoint had accepted before.
`undelivered` counts alert targets that no message reaches. `evaluated` is false when the monitor could not evaluate the
workspace's alerts three times in a row. `at_least` names the counts that stopped at a bound.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.show_workspace to outrider_reader;
