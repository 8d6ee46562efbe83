create or replace function outrider.show_activity(
  p_workspace_id text,
  p_channel_ids text[] default null,
  p_platform text default null,
  p_limit integer default 100,
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
  v_workspace outrider.workspaces;
  v_ids text[];
  v_waiting record;
  v_lately record;
  v_channels record;
  v_sending integer;
  v_senders integer;
begin
  perform outrider.require_workspace('show_activity', p_workspace_id);
  v_ids := outrider.channels_named('show_activity', p_workspace_id, p_channel_ids, p_now);
  perform outrider.require_count('show_activity', p_limit, 1000);
  if p_platform is not null then
    perform outrider.require_text('show_activity', 'platform', p_platform, 128);
    v_ids := array(
      select u.id from unnest(v_ids) with ordinality as u (id, place)
      join outrider.channels c on c.workspace_id = p_workspace_id and c.channel_id = u.id
      where c.platform = p_platform
      order by u.place);
  end if;

  select w.* into v_workspace from outrider.workspaces w where w.workspace_id = p_workspace_id;
  v_waiting := outrider.waiting_counts(p_workspace_id, v_ids, 1000, p_now);
  v_lately := outrider.sends_lately(p_workspace_id, v_ids, p_now);
  v_channels := outrider.active_channels(p_workspace_id, v_ids, v_lately.sent, p_limit, p_now);
  select coalesce(sum(l.open_count), 0)::integer into v_sending
  from unnest(v_ids) as c (id)
  join outrider.leases l on l.workspace_id = p_workspace_id and l.channel_id = c.id;
  select count(*)::integer into v_senders from outrider.service_heartbeats h
  where h.seen_at >= p_now - interval '30 seconds' and 'dispatch' = any (h.roles);

  return json_build_object(
    'workspace_id', v_workspace.workspace_id, 'name', v_workspace.name, 'status', v_workspace.status, 'now', p_now,
    'queue', json_build_object('due', v_waiting.due, 'scheduled', v_waiting.scheduled, 'retrying', v_waiting.retrying,
      'claimed', v_waiting.claimed, 'sending', v_sending),
    'at_least', to_json(v_waiting.cut),
    'oldest_due', outrider.oldest_due(p_workspace_id, v_ids, p_now),
    'lately', v_lately.counts || jsonb_build_object('since', v_lately.since),
    'senders', v_senders,
    'channel_states', v_channels.states,
    'channels', v_channels.listed,
    'sends', outrider.sends_under_way(p_workspace_id, v_ids, p_limit),
    'errors', outrider.latest_errors(p_workspace_id, v_ids, p_limit, p_now - interval '1 hour', p_now),
    'alerts', (
      select coalesce(json_agg(json_build_object('alert_id', a.alert_id, 'kind', a.kind, 'severity', a.severity,
        'state', a.state, 'summary', a.summary, 'opened_at', a.opened_at)), '[]')
      from outrider.list_alerts(p_workspace_id, 'open', p_limit, p_now) a
    ),
    'groups', (
      select coalesce(json_agg(json_build_object('platform', g.platform, 'rate_group', g.rate_group, 'state', g.state,
        'until', g.state_until, 'reason', g.state_reason, 'rate_rps', g.rate_rps, 'channels', g.channels, 'slot_at', g.slot_at)), '[]')
      from (
        select r.*, case when l.next_allowed_at > p_now then l.next_allowed_at end as slot_at
        from outrider.list_rate_groups(p_workspace_id, p_now) r
        left join outrider.platform_limits l
          on l.workspace_id = p_workspace_id and l.platform = r.platform and l.rate_group = r.rate_group
        where r.channels > 0 and (p_platform is null or r.platform = p_platform)
        limit p_limit
      ) g
    )
  );
end;
$$;

comment on function outrider.show_activity is $doc$What goes on in a workspace now, for somebody who watches it: what waits, what each channel does and when its next slot
is, what is being sent, what went wrong in the last hour, open alerts, and rate groups. Of all channels, or of those of some
ids (in which * stands for any characters and ? for one) or of a platform.

Made to be asked every few seconds: it takes no locks, and however long the queue and the history are, a call reads a few
thousand rows, and up to 10,000 of what is due.
p_limit: how many channels, sends, errors, alerts and groups are listed at most, 1 to 1,000.
Returns: {workspace_id, name, status, now, queue {due, scheduled, retrying, claimed, sending}, at_least [names of counts],
oldest_due {delivery_id, channel_id, due_since}, lately {since, sent, retried, failed, dead, deduped}, senders,
channel_states {state: count}, channels [{channel_id, platform, title, rate_group, state, until, reason, waiting, sending,
max_parallel, rate_rps, sent, error_streak, slot_at, next_at, next_delivery_id}], sends [{delivery_id, message_id,
channel_id, attempt, started_at, lease_until, text}], errors [{channel_id, code, message, count, last_at, delivery_id}],
alerts [{alert_id, kind, severity, state, summary, opened_at}], groups [{platform, rate_group, state, until, reason, rate_rps,
channels, slot_at}]}.
`at_least` names the counts that stopped at a bound; `waiting` of a channel stops at 1,000. `lately` begins a minute ago, or
later where more was sent than is counted; `sent` of a channel is since then. `senders` counts the processes that send, of
all workspaces. A channel's `state`, `until` and `reason` are those of list_channels. `slot_at` is when a channel or a group is
free for its next call, null when it is now. `next_at` is when the channel's next delivery goes out, null when nothing waits
or that depends on a person or a probe. Sends have the longest under way first, errors the latest. `text` is
the beginning of a text, masked.
Raises: OR001, OR002 when there is no such workspace, or an id without * and ? names no channel, OR003.$doc$;

grant execute on function outrider.show_activity to outrider_reader;
