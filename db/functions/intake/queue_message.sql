-- Makes the deliveries of a kept message: one for each channel that takes it and did not get it within its
-- dedup window, in one statement over all channels.
--
-- A post that its platform would refuse becomes a delivery that has failed already, with the reason; it is
-- never tried. A suppressed repeat leaves an event, and a row where the workspace keeps such rows.
-- Concurrency: the caller holds the message, so that nobody else makes deliveries of it.
-- Returns: the verdict on every channel, and how many there are of each.
create or replace function outrider.queue_message(
  p_run_id text,
  p_settings outrider.workspace_settings,
  p_message outrider.messages,
  p_known boolean,
  p_trace_id text,
  p_scheduled_for timestamptz,
  p_now timestamptz,
  out verdicts json,
  out queued integer,
  out deduped integer,
  out validation_failed integer,
  out not_routed integer
)
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_ids constant text := outrider.id_prefix(p_now);
  v_event_ids constant text := outrider.id_prefix(p_now);
  v_meta constant jsonb := jsonb_build_object('trace_id', p_trace_id, 'run_id', p_run_id);
  v_judged record;
  v_posts outrider.composed_post[];
  v_errors jsonb[];
begin
  if p_known then
    perform outrider.lock_predecessors(p_message.workspace_id, p_message.message_id);
  end if;
  v_judged := outrider.judge_channels(p_message, p_known, greatest(p_now, p_scheduled_for), p_now);

  select array_agg(x.post order by x.n), array_agg(outrider.preflight_error((x.post).fault) order by x.n)
  into v_posts, v_errors
  from (
    select u.n, case when u.channel_id is not null then outrider.compose_for_channel(p_message, u.channel_id) end as post
    from unnest(v_judged.profile_channels) with ordinality as u (channel_id, n)
    offset 0
  ) x;

  with ruled as materialized (
    select
      u.*, v.*, lpad(to_hex(u.n), 8, '0') as digits,
      case when v.verdict in ('queued', 'validation_failed') or (v.verdict = 'deduped' and p_settings.keep_deduped_rows)
        then (v_ids || lpad(to_hex(u.n), 8, '0'))::uuid
      end as delivery_id
    from unnest(v_judged.channels, v_judged.rules, v_judged.twins, v_judged.twin_statuses, v_judged.untils,
      v_judged.occurrences, v_judged.profiles, v_judged.not_befores)
      with ordinality as u (channel_id, rule, twin, twin_status, until, occurrence, profile, not_before, n)
    cross join lateral (
      select case
        when u.rule is not null then 'not_routed'
        when u.twin is not null then 'deduped'
        when v_errors[u.profile] is not null then 'validation_failed'
        else 'queued'
      end as verdict
    ) v
  ),
  made as (
    insert into outrider.deliveries
      (workspace_id, delivery_id, status, attempt_limit, not_before, failed_at, updated_at, last_error, render_meta,
       created_at, scheduled_for, message_id, channel_id, occurrence, hash_version, enqueue_batch_id,
       template_version, trace_id, content_hash, rendered_text)
    select
      p_message.workspace_id, r.delivery_id,
      (case r.verdict when 'validation_failed' then 'failed_permanent' else r.verdict end)::outrider.delivery_status,
      p_settings.max_attempts, r.not_before, case when r.verdict = 'validation_failed' then p_now end, p_now,
      case when r.verdict = 'validation_failed' then v_errors[r.profile] end,
      case when r.twin is null then v_posts[r.profile].render_meta else '{}' end,
      p_now, p_scheduled_for, p_message.message_id, r.channel_id, case when r.twin is null then r.occurrence end,
      p_message.hash_version, p_run_id::uuid, v_posts[r.profile].template_version, p_trace_id, p_message.content_hash,
      case when r.twin is null then v_posts[r.profile].rendered_text else '' end
    from ruled r
    where r.delivery_id is not null
  ),
  logged as (
    insert into outrider.event_log
      (workspace_id, id, delivery_ids, delivery_id, message_id, channel_id, ts, action, attempt, result, error, meta)
    select
      p_message.workspace_id, (v_event_ids || 'f' || lpad(to_hex(r.n / 100), 7, '0'))::uuid, array_agg(r.delivery_id), null,
      p_message.message_id, null, p_now, 'enqueue', 0, 'ok', null, v_meta
    from ruled r
    where r.verdict = 'queued'
    group by r.n / 100
    union all
    select
      p_message.workspace_id, (v_event_ids || r.digits)::uuid, null, r.delivery_id, p_message.message_id, r.channel_id, p_now,
      (case r.verdict when 'deduped' then 'dedup_suppressed' else r.verdict end)::outrider.event_action,
      0, case r.verdict when 'validation_failed' then 'error' else 'ok' end::outrider.event_result,
      case when r.verdict = 'validation_failed' then v_errors[r.profile] end,
      case when r.twin is null then v_meta
      else v_meta || jsonb_strip_nulls(jsonb_build_object(
        'suppressed_by', r.twin, 'twin_status', r.twin_status, 'until', r.until))
      end
    from ruled r
    where r.verdict in ('deduped', 'validation_failed')
  )
  select
    json_agg(outrider.verdict_as_json(r.verdict, r.channel_id, r.delivery_id, r.rule, r.twin, r.twin_status, r.until,
      r.not_before, v_errors[r.profile] ->> 'message')),
    (count(*) filter (where r.verdict = 'queued'))::integer, (count(*) filter (where r.verdict = 'deduped'))::integer,
    (count(*) filter (where r.verdict = 'validation_failed'))::integer, (count(*) filter (where r.verdict = 'not_routed'))::integer
  into verdicts, queued, deduped, validation_failed, not_routed
  from ruled r;
end;
$$;
