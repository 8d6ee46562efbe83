-- Writes the deliveries of a message, their events, their places in the queue, and the leases of those that are started
-- at once, in one statement over all channels.
--
-- p_channels: the decision on each channel (judge_channels, suppress_similar); p_posts: the composed posts, by profile.
-- What was suppressed as nearly the same is kept with its post. What goes out shortened has an event of its own.
-- p_startable: the channels in which p_claimer may start a send (hold_startable).
-- Concurrency: the caller has locked p_startable in an earlier statement, so that this one sees earlier claims.
-- The setting `outrider.claiming` is that of claim_deliveries: while it is on, new deliveries are queued here and not
-- by the trigger.
-- Returns: the verdict on every channel; counts and claims as in queue_message; and `paced`, the started channels whose
-- pace, or whose group's pace, has to move on.
create or replace function outrider.make_deliveries(
  p_settings outrider.intake_settings,
  p_run_id text,
  p_message outrider.messages,
  p_trace_id text,
  p_scheduled_for timestamptz,
  p_channels outrider.judged_channel[],
  p_posts outrider.composed_post[],
  p_claimer text,
  p_startable outrider.startable_channel[],
  p_now timestamptz,
  out verdicts json,
  out counts integer[],
  out claimed json,
  out paced text[]
)
  language plpgsql
  volatile
as $$
declare
  v_ids constant text := outrider.id_prefix(p_now); -- followed by 0… in ids of deliveries, by e… and f… in ids of events
  v_token constant uuid := gen_random_uuid();
  v_run_id constant text := outrider.mask_text(p_claimer);
  v_lease_ms constant bigint := (extract(epoch from p_settings.sending_lease) * 1000)::bigint;
  v_meta constant jsonb := jsonb_build_object('trace_id', p_trace_id, 'run_id', p_run_id);
  v_errors jsonb[];
  v_is_shortened boolean := false; -- some channel gets the post without something
  v_setting text; -- set_config is assigned to it, because a perform would be one more statement
begin
  -- @plpgsql_check_options: extra_warnings = false
  for v_n in 1 .. coalesce(cardinality(p_posts), 0) loop
    v_errors[v_n] := outrider.preflight_error(p_posts[v_n].fault);
    v_is_shortened := v_is_shortened or coalesce(p_posts[v_n].render_meta ? 'left_out', false);
  end loop;

  v_setting := set_config('outrider.claiming', 'on', true);
  with ruled as materialized (
    select
      u.*, v.*, lpad(to_hex(u.n), 8, '0') as digits,
      case when v.verdict in ('queued', 'validation_failed') or u.score is not null or (u.twin is not null and p_settings.keep_deduped_rows)
        then (v_ids || lpad(to_hex(u.n), 8, '0'))::uuid
      end as delivery_id,
      coalesce(v.verdict = 'queued' and s.has_room and outrider.next_weight(p_posts[u.profile].render_meta) = 1, false) as starts,
      s.step, s.group_step, s.as_sent
    from unnest(p_channels) with ordinality as u (channel_id, rule, twin, twin_status, until, occurrence, profile, not_before, score, signs, n)
    left join (
      -- Joined: with subqueries in an expression PostgreSQL would look through all expressions here before every run.
      select s.*, s.max_parallel > l.open_count and q.channel_id is null as has_room
      from unnest(p_startable) as s
      cross join lateral (select coalesce(sum(l.open_count), 0) as open_count from outrider.leases l
        where l.workspace_id = p_message.workspace_id and l.channel_id = s.channel_id) l
      left join lateral (select q.channel_id from outrider.delivery_queue q
        where q.workspace_id = p_message.workspace_id and q.channel_id = s.channel_id limit 1) q on true
    ) s on s.channel_id = u.channel_id
    cross join lateral (
      select outrider.verdict_on_channel(u.rule, u.twin, v_errors[u.profile] is not null) as verdict,
      case when v_is_shortened and u.rule is null and u.twin is null then p_posts[u.profile].render_meta -> 'left_out' end as left_out
    ) v
  ),
  made as (
    insert into outrider.deliveries
      (workspace_id, delivery_id, status, attempt, attempt_limit, not_before, claimed_at, sending_started_at, failed_at,
       updated_at, claim_token, last_error, render_meta, created_at, scheduled_for, message_id, channel_id, occurrence,
       hash_version, enqueue_batch_id, template_version, trace_id, content_hash, rendered_text)
    select
      p_message.workspace_id, r.delivery_id,
      case
        when r.starts then 'sending'::outrider.delivery_status
        when r.verdict = 'queued' then 'queued'
        when r.verdict = 'deduped' then 'deduped'
        else 'failed_permanent'
      end,
      r.starts::integer, p_settings.max_attempts, r.not_before, case when r.starts then p_now end, case when r.starts then p_now end,
      case when r.verdict = 'validation_failed' then p_now end, p_now, case when r.starts then v_token end,
      case when r.verdict = 'validation_failed' or r.score is not null then v_errors[r.profile] end,
      outrider.meta_to_keep(p_posts[r.profile].render_meta, r.twin, r.score, r.signs),
      p_now, p_scheduled_for, p_message.message_id, r.channel_id, case when r.twin is null then r.occurrence end,
      p_message.hash_version, p_run_id::uuid, p_posts[r.profile].template_version, p_trace_id, p_message.content_hash,
      case when r.twin is null or r.score is not null then p_posts[r.profile].rendered_text else '' end
    from ruled r
    where r.delivery_id is not null
    returning channel_id, not_before, seq, delivery_id, status, render_meta
  ),
  waiting as (
    insert into outrider.delivery_queue (workspace_id, channel_id, available_at, seq, delivery_id, weight)
    select
      p_message.workspace_id, m.channel_id, case when m.not_before <= p_now then '-infinity' else m.not_before end, m.seq,
      m.delivery_id, outrider.next_weight(m.render_meta)
    from made m
    where m.status = 'queued'
  ),
  logged as (
    insert into outrider.event_log
      (workspace_id, id, delivery_ids, delivery_id, message_id, channel_id, ts, action, attempt, result, error, meta)
    select
      p_message.workspace_id, (v_ids || 'f' || lpad(to_hex(r.n / 100), 7, '0'))::uuid, array_agg(r.delivery_id),
      null::uuid, p_message.message_id, null, p_now, 'enqueue'::outrider.event_action, 0, 'ok'::outrider.event_result,
      null::jsonb, v_meta
    from ruled r
    where r.verdict = 'queued' and r.left_out is null
    group by r.n / 100
    union all
    select
      p_message.workspace_id, (v_ids || 'ffffffff')::uuid, array_agg(r.delivery_id), null, null, null,
      p_now, 'send_attempt', 0, 'ok', null, jsonb_build_object('run_id', v_run_id)
    from ruled r
    where r.starts
    having count(*) > 0
    union all
    select
      p_message.workspace_id, (v_ids || 'e' || substr(r.digits, 2))::uuid, null, r.delivery_id, p_message.message_id, r.channel_id, p_now,
      (case r.verdict when 'deduped' then 'dedup_suppressed' when 'queued' then 'enqueue' else r.verdict end)::outrider.event_action,
      0, case r.verdict when 'validation_failed' then 'error' else 'ok' end::outrider.event_result,
      case when r.verdict = 'validation_failed' then v_errors[r.profile] end,
      v_meta || jsonb_strip_nulls(jsonb_build_object('suppressed_by', r.twin, 'twin_status', r.twin_status,
        'until', r.until, 'score', r.score, 'signs', r.signs, 'left_out', r.left_out))
    from ruled r
    where r.verdict in ('deduped', 'validation_failed') or r.left_out is not null
  ),
  leased as (
    insert into outrider.leases (workspace_id, claim_token, channel_id, run_id, lease_until, lease_length, open_count, delivery_ids)
    select
      p_message.workspace_id, v_token, r.channel_id, p_claimer, p_now + p_settings.sending_lease, p_settings.sending_lease, 1,
      array[r.delivery_id]
    from ruled r
    where r.starts
  )
  select
    json_agg(outrider.verdict_as_json(r.verdict, r.channel_id, r.delivery_id, r.rule, r.twin, r.twin_status, r.until,
      r.not_before, v_errors[r.profile] ->> 'message', r.score)),
    array[
      count(*) filter (where r.verdict = 'queued'), count(*) filter (where r.verdict = 'deduped'),
      count(*) filter (where r.verdict = 'validation_failed'), count(*) filter (where r.verdict = 'not_routed')
    ]::integer[],
    json_agg(json_build_object(
      'delivery_id', r.delivery_id, 'claim_token', v_token, 'lease_ms', v_lease_ms, 'attempt', 1, 'outcome_unknown', false,
      'not_before', r.not_before::text, 'trace_id', p_trace_id, 'message_id', p_message.message_id, 'channel', r.as_sent,
      'payload', case when outrider.sends_media(p_posts[r.profile].render_meta) then p_message.payload end,
      'rendered_text', p_posts[r.profile].rendered_text, 'render_meta', p_posts[r.profile].render_meta,
      'media', case when outrider.sends_media(p_posts[r.profile].render_meta) then
        outrider.media_for_send(p_message.workspace_id, p_message.payload, r.as_sent) end
    )) filter (where r.starts),
    array_agg(r.channel_id) filter (where r.starts and greatest(r.step, r.group_step) > interval '0')
  into verdicts, counts, claimed, paced
  from ruled r;
  v_setting := set_config('outrider.claiming', 'off', true);
end;
$$;
