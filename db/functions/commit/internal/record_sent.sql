-- Records that deliveries were sent and writes their events. Deliveries without sent_at, meta, parts and payload_ref share
-- an event, a hundred at most; the first of these events says how many of all of them each channel has (see
-- sent_by_channel). Each of the others has an event of its own. The arrays run in parallel; the last four may be null when
-- there is nothing in them.
--
-- An outcome counts only while its delivery is `sending` under its token; the others are left out.
-- Plans: see claim_deliveries.
-- Concurrency: deliveries are locked in order.
-- Returns: the ids recorded, and for each lease how many of its sends ended; the caller takes these off the leases.
-- Nulls when nothing was recorded.
create or replace function outrider.record_sent(
  p_workspace_id text,
  p_ids uuid[],
  p_tokens uuid[],
  p_provider_ids text[],
  p_sent_ats timestamptz[],
  p_metas jsonb[],
  p_parts jsonb[],
  p_payload_refs text[],
  p_now timestamptz,
  out ids uuid[],
  out channels text[],
  out tokens uuid[],
  out counts bigint[]
)
  language plpgsql
  volatile
as $$
#variable_conflict use_column
declare
  v_event_ids constant text := outrider.id_prefix(p_now);
  v_sending constant outrider.delivery_status := 'sending'::outrider.delivery_status;
begin
  with recorded as (
    update outrider.deliveries d
    set status = 'sent', sent_at = coalesce(o.sent_at, p_now), provider_message_id = o.provider_message_id,
        claim_token = null, outcome_unknown = false, waited = null, updated_at = p_now,
        render_meta = case when o.parts is null then d.render_meta else outrider.merge_progress(d.render_meta, o.parts) end
    from (
      select p_workspace_id as workspace_id, u.*
      from unnest(p_ids, p_tokens, p_provider_ids, p_sent_ats, p_metas, p_parts, p_payload_refs) with ordinality
        as u (delivery_id, claim_token, provider_message_id, sent_at, meta, parts, payload_ref, n)
      order by u.delivery_id
      limit cardinality(p_ids)
    ) o
    where d.workspace_id = o.workspace_id and d.delivery_id = o.delivery_id
      and d.status = v_sending and d.claim_token = o.claim_token
    returning
      d.delivery_id, d.message_id, d.channel_id, d.attempt, d.trace_id, o.n, o.claim_token,
      o.provider_message_id, o.meta, o.parts, o.payload_ref,
      o.sent_at is null and o.meta is null and o.parts is null and o.payload_ref is null as is_plain
  ),
  ended as (
    select r.channel_id, r.claim_token, count(*) as ended, count(*) filter (where r.is_plain) as plain
    from recorded r
    group by r.channel_id, r.claim_token
  ),
  logged as (
    insert into outrider.event_log
      (workspace_id, id, delivery_ids, delivery_id, message_id, channel_id, ts, action, attempt, result, payload_ref, meta)
    select
      p_workspace_id, (v_event_ids || 'f' || lpad(to_hex(r.n / 100), 7, '0'))::uuid, array_agg(r.delivery_id), null, null, null,
      p_now, 'sent'::outrider.event_action, 0, 'ok'::outrider.event_result, null,
      case when row_number() over () > 1 then '{}' else (
        select jsonb_build_object('channels', jsonb_object_agg(c.channel_id, c.sent))
        from (select e.channel_id, sum(e.plain) as sent from ended e where e.plain > 0 group by e.channel_id) c
      ) end
    from recorded r
    where r.is_plain
    group by r.n / 100
    union all
    select
      p_workspace_id, (v_event_ids || lpad(to_hex(r.n), 8, '0'))::uuid, null, r.delivery_id, r.message_id,
      r.channel_id, p_now, 'sent', r.attempt, 'ok', r.payload_ref,
      jsonb_strip_nulls(jsonb_build_object(
        'trace_id', r.trace_id, 'provider_message_id', r.provider_message_id, 'parts', outrider.mask_json(r.parts),
        'raw', outrider.snippet(r.meta)))
    from recorded r
    where not r.is_plain
  )
  select
    (select array_agg(r.delivery_id) from recorded r),
    array_agg(l.channel_id), array_agg(l.claim_token), array_agg(l.ended)
  into ids, channels, tokens, counts
  from ended l;
end;
$$;
