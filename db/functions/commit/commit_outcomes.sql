-- Records what became of sends, many at once.
--
-- Each outcome is {delivery_id, claim_token, ok: true, provider_message_id, sent_at?, meta?, parts?} or
-- {delivery_id, claim_token, ok: false, error: {category, scope, code, retry_after_ms?, message, raw?},
-- next_retry_at?, parts?}. An outcome counts only while its delivery is `sending` under that very
-- token; a stale one changes nothing and is told so.
--
-- Concurrency: locks platform_limits, channels, deliveries, leases, each in order. On the usual path,
-- where everything was sent and no channel has an error streak, no channel is locked, so commits and
-- claims do not wait for each other.
-- Returns: one row for each outcome; `became` is null when it was not recorded, and `note` says why.
-- Raises: OR001, OR002, OR003; then nothing of the batch is recorded.
create or replace function outrider.commit_outcomes(
  p_workspace_id text,
  p_outcomes jsonb,
  p_now timestamptz default clock_timestamp()
)
  returns table (delivery_id uuid, became outrider.delivery_status, next_retry_at timestamptz, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_memoize = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_sending constant outrider.delivery_status := 'sending'::outrider.delivery_status;
  v_given record;
  v_recorded record;
begin
  perform outrider.require_workspace('commit_outcomes', p_workspace_id);
  perform outrider.require_batch('commit_outcomes', p_outcomes, p_now);

  select
    count(*) filter (where not o.ok) as failures,
    count(*) filter (
      where o.delivery_id is null or o.claim_token is null or o.ok is null
        or (o.ok and coalesce(octet_length(o.provider_message_id), 0) not between 1 and 512)
    ) as faulty,
    array_agg(o.delivery_id) filter (where o.ok) as ids,
    array_agg(o.claim_token) filter (where o.ok) as tokens,
    array_agg(o.provider_message_id) filter (where o.ok) as provider_ids,
    array_agg(o.sent_at) filter (where o.ok) as sent_ats,
    array_agg(o.meta) filter (where o.ok) as metas,
    array_agg(o.parts) filter (where o.ok) as parts
  into v_given
  from jsonb_to_recordset(p_outcomes) as o (
    delivery_id uuid, claim_token uuid, ok boolean, provider_message_id text, sent_at timestamptz,
    meta jsonb, parts jsonb
  );
  if v_given.faulty > 0 then
    raise exception using errcode = 'OR001',
      message = format('commit_outcomes: %s of the outcomes lack delivery_id, claim_token or ok, or are ok without a provider_message_id of 1 to 512 bytes', v_given.faulty);
  end if;

  if v_given.failures > 0 then
    return query
    select * from outrider.commit_failures(
      p_workspace_id, jsonb_path_query_array(p_outcomes, '$[*] ? (@.ok == false)'), p_now);
  end if;
  if v_given.ids is null then
    return;
  end if;

  perform outrider.reset_streaks(p_workspace_id, v_given.ids, p_now);

  with recorded as (
    update outrider.deliveries d
    set status = 'sent', sent_at = coalesce(o.sent_at, p_now), provider_message_id = o.provider_message_id,
        claim_token = null, outcome_unknown = false, updated_at = p_now,
        render_meta = case when o.parts is null then d.render_meta else outrider.merge_progress(d.render_meta, o.parts) end
    from unnest(v_given.ids, v_given.tokens, v_given.provider_ids, v_given.sent_ats, v_given.metas, v_given.parts)
      as o (delivery_id, claim_token, provider_message_id, sent_at, meta, parts)
    where d.workspace_id = p_workspace_id and d.delivery_id = o.delivery_id
      and d.status = v_sending and d.claim_token = o.claim_token
    returning d.delivery_id, d.message_id, d.channel_id, d.attempt, d.trace_id, o.claim_token, o.provider_message_id, o.meta, o.parts
  ),
  logged as (
    insert into outrider.events
      (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result, meta)
    select
      p_workspace_id, gen_random_uuid(), r.delivery_id, r.message_id, r.channel_id, p_now, 'sent', r.attempt, 'ok',
      case
        when r.meta is null and r.parts is null then 
          jsonb_object(array['trace_id', 'provider_message_id'], array[r.trace_id, r.provider_message_id])
        else jsonb_strip_nulls(jsonb_build_object(
          'trace_id', r.trace_id, 'provider_message_id', r.provider_message_id, 'parts', r.parts,
          'raw', outrider.mask_json(r.meta)))
      end
    from recorded r
  )
  select array_agg(r.delivery_id) as ids, array_agg(r.channel_id) as channels, array_agg(r.claim_token) as tokens
  into v_recorded
  from recorded r;

  if v_recorded.ids is not null then
    perform outrider.release_leases(p_workspace_id, v_recorded.channels, v_recorded.tokens);
    return query
    select r.id, 'sent'::outrider.delivery_status, null::timestamptz, null::text from unnest(v_recorded.ids) as r (id);
  end if;
  if cardinality(v_recorded.ids) is distinct from cardinality(v_given.ids) then
    return query select * from outrider.explain_stale(p_workspace_id, v_given.ids, v_recorded.ids);
  end if;
end;
$$;

grant execute on function outrider.commit_outcomes to outrider_worker;
