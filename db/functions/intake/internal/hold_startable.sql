-- Locks the channels in which a send of a new message could start now, and their rate groups: they are open, and their
-- slots are due. The next statement checks whether they have room and whether something waits before the message.
--
-- Concurrency: it waits for nobody. It leaves out what somebody else has locked, so the order of locks does not matter.
-- If one of the message's channels cannot be written to at once (somebody is deleting it), nothing is locked: the next
-- statement would wait for that channel, and everybody who wants the others would wait as well.
-- In a transaction with one snapshot for all its statements (repeatable read) nothing is locked either: the next statement
-- would not see a claim that has committed since, and max_parallel would not hold.
-- Returns: what is locked, in the order of channel_id, with at most one channel of each group that has a pace: the
-- slots of the others lie ahead, and so do those of channels with a jitter. Null when there is nothing.
create or replace function outrider.hold_startable(
  p_workspace_id text,
  p_channels outrider.judged_channel[],
  p_now timestamptz
)
  returns outrider.startable_channel[]
  language plpgsql
  volatile
as $$
declare
  v_few constant integer := 8;
  v_routed text[];
  v_due text[];
  v_judged outrider.judged_channel;
  v_held outrider.startable_channel[];
begin
  -- The function is volatile because it locks rows, which the checker does not see:
  -- @plpgsql_check_options: performance_warnings = false
  foreach v_judged in array coalesce(p_channels, '{}') loop
    if v_judged.rule is null then
      v_routed := v_routed || v_judged.channel_id;
      if v_judged.not_before <= p_now then
        v_due := v_due || v_judged.channel_id;
      end if;
    end if;
  end loop;
  if v_due is null or cardinality(v_routed) > v_few or current_setting('transaction_isolation') <> 'read committed' then
    return null;
  end if;

  with free as materialized (
    select c.channel_id from outrider.channels c
    where c.workspace_id = p_workspace_id and c.channel_id = any (v_routed)
    for key share skip locked
  )
  select array_agg(row(
      h.channel_id, h.max_parallel, outrider.slot_step(h.rate_rps), outrider.slot_step(h.group_rps),
      outrider.channel_as_sent(h.channel, coalesce(a.auth_ref, h.auth_ref), b.secret_ref)
    )::outrider.startable_channel order by h.channel_id)
  into v_held
  from (
    select c as channel, c.*, g.rate_rps as group_rps
    from outrider.channels c
    join outrider.channel_pace p on p.workspace_id = c.workspace_id and p.channel_id = c.channel_id
    join outrider.platform_limits g
      on g.workspace_id = c.workspace_id and g.platform = c.platform and g.rate_group = c.rate_group
    where c.workspace_id = p_workspace_id and c.channel_id = any (v_due)
      and (select count(*) from free) = cardinality(v_routed)
      and c.enabled and not (c.settings ? 'jitter_ms' and c.rate_rps > 0)
      and outrider.channel_opens_at(c) <= p_now and g.outage_since is null and outrider.group_opens_at(g) <= p_now
      and greatest(outrider.channel_slot_at(c.rate_rps, p.next_allowed_at, 1), g.next_allowed_at, '-infinity') <= p_now
    for no key update of c, p, g skip locked
  ) h
  left join outrider.channel_auth a on a.workspace_id = h.workspace_id and a.channel_id = h.channel_id
  left join outrider.credential_bindings b
    on b.workspace_id = h.workspace_id and b.auth_ref = coalesce(a.auth_ref, h.auth_ref);

  -- Of the channels of a group that has a pace only the first. Most posts have one, and then there is nothing to look for.
  if cardinality(v_held) > 1 then
    v_held := array(
      select row(h.channel_id, h.max_parallel, h.step, h.group_step, h.as_sent)::outrider.startable_channel
      from unnest(v_held) with ordinality as h (channel_id, max_parallel, step, group_step, as_sent, n)
      where h.group_step = interval '0' or not exists (
        select from unnest(v_held[:h.n - 1]) as e
        where (e.as_sent ->> 'platform', e.as_sent ->> 'rate_group') = (h.as_sent ->> 'platform', h.as_sent ->> 'rate_group')
      )
      order by h.n);
  end if;
  return v_held;
end;
$$;
