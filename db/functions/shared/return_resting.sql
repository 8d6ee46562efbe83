-- Takes back the slots that were given out ahead, in channels that have closed since or have missed them. Their
-- deliveries wait again, in their old places, and get new slots later. The channel's next slot then follows the slots
-- that are certain (quiet_until), and no longer those that were only promised.
--
-- Concurrency: the channels are locked by the caller. A delivery that somebody else has locked keeps its slot for now.
create or replace function outrider.return_resting(p_workspace_id text, p_channels text[], p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  with returned as (
    update outrider.deliveries d
    set status = 'queued', claim_token = null, claimed_at = null, not_before = least(d.not_before, p_now),
        updated_at = p_now
    from (
      select q.workspace_id, q.delivery_id from outrider.delivery_queue q
      where q.workspace_id = p_workspace_id and q.channel_id = any (p_channels) and q.claimed
        and q.available_at > '-infinity'
      offset 0
    ) q
    cross join lateral (
      select x.ctid as tid from outrider.deliveries x
      where x.workspace_id = q.workspace_id and x.delivery_id = q.delivery_id and x.status = 'claimed'
      for no key update skip locked
    ) had
    where d.ctid = had.tid
    returning d.delivery_id, d.message_id, d.channel_id, d.attempt, d.trace_id
  )
  insert into outrider.event_log
    (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result, meta)
  select
    p_workspace_id, gen_random_uuid(), r.delivery_id, r.message_id, r.channel_id, p_now,
    'claim_returned', r.attempt, 'ok', jsonb_build_object('trace_id', r.trace_id, 'reason', 'the slot was missed')
  from returned r;

  update outrider.channel_pace p
  set next_allowed_at = least(p.next_allowed_at, greatest(p.quiet_until, p_now))
  where p.workspace_id = p_workspace_id and p.channel_id = any (p_channels) and p.next_allowed_at > p_now;
end;
$$;
