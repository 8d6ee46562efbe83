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
  v_apart bigint[]; -- which outcomes have an event of their own, by their places in the arrays
begin
  with recorded as (
    update outrider.deliveries d
    set status = 'sent', sent_at = coalesce(p_sent_ats[o.n], p_now), provider_message_id = o.provider_message_id,
        claim_token = null, outcome_unknown = false, waited = null, updated_at = p_now,
        render_meta = case when p_parts[o.n] is null then d.render_meta
          else outrider.merge_progress(d.render_meta, p_parts[o.n]) end
    from (
      select p_workspace_id as workspace_id, u.*
      from unnest(p_ids, p_tokens, p_provider_ids) with ordinality as u (delivery_id, claim_token, provider_message_id, n)
      order by u.delivery_id
      limit cardinality(p_ids)
    ) o
    where d.workspace_id = o.workspace_id and d.delivery_id = o.delivery_id
      and d.status = v_sending and d.claim_token = o.claim_token
    returning
      d.delivery_id, d.channel_id, o.claim_token, o.n,
      num_nonnulls(p_sent_ats[o.n], p_metas[o.n], p_parts[o.n], p_payload_refs[o.n]) = 0 as is_plain
  ),
  ended as (
    select r.channel_id, r.claim_token, count(*) as ended, count(*) filter (where r.is_plain) as plain
    from recorded r
    group by r.channel_id, r.claim_token
  ),
  logged as (
    insert into outrider.event_log (workspace_id, id, delivery_ids, ts, action, attempt, result, meta)
    select
      p_workspace_id, (v_event_ids || 'f' || lpad(to_hex(r.n / 100), 7, '0'))::uuid, array_agg(r.delivery_id), p_now, 'sent',
      0, 'ok',
      case when row_number() over () > 1 then '{}' else (
        select jsonb_build_object('channels', jsonb_object_agg(c.channel_id, c.sent))
        from (select e.channel_id, sum(e.plain) as sent from ended e where e.plain > 0 group by e.channel_id) c
      ) end
    from recorded r
    where r.is_plain
    group by r.n / 100
  )
  select a.ids, a.apart, l.channels, l.tokens, l.counts
  into ids, v_apart, channels, tokens, counts
  from
    (select array_agg(r.delivery_id) as ids, array_agg(r.n) filter (where not r.is_plain) as apart from recorded r) a,
    (select array_agg(e.channel_id) as channels, array_agg(e.claim_token) as tokens, array_agg(e.ended) as counts from ended e) l;

  if v_apart is not null then
    insert into outrider.event_log
      (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result, payload_ref, meta)
    select
      p_workspace_id, (v_event_ids || lpad(to_hex(x.n), 8, '0'))::uuid, d.delivery_id, d.message_id, d.channel_id, p_now,
      'sent', d.attempt, 'ok', p_payload_refs[x.n],
      jsonb_strip_nulls(jsonb_build_object(
        'trace_id', d.trace_id, 'provider_message_id', d.provider_message_id, 'parts', outrider.mask_json(p_parts[x.n]),
        'raw', outrider.snippet(p_metas[x.n])))
    from (select p_workspace_id as workspace_id, u.n from unnest(v_apart) as u (n) limit cardinality(v_apart)) x
    join outrider.deliveries d on d.workspace_id = x.workspace_id and d.delivery_id = p_ids[x.n];
  end if;
end;
$$;
