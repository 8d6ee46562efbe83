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
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_memoize = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_given record;
  v_failures jsonb;
  v_well text[];
  v_failed record;
  v_sent record;
  v_channels text[];
  v_tokens uuid[];
  v_counts bigint[];
begin
  perform outrider.require_workspace('commit_outcomes', p_workspace_id);
  perform outrider.require_batch('commit_outcomes', 'outcomes', p_outcomes, p_now);

  begin
    select
      count(*) filter (where not o.ok) as failures,
      count(*) filter (
        where o.delivery_id is null or o.claim_token is null or o.ok is null
          or (o.ok and coalesce(octet_length(o.provider_message_id), 0) not between 1 and 512)
          or not outrider.is_usable_time(o.sent_at) or not outrider.is_usable_time(o.next_retry_at)
          or octet_length(o.meta::text) > 65536
          or octet_length(o.payload_ref) not between 1 and 512
          or (o.parts is not null and not outrider.are_parts(o.parts))
      ) as faulty,
      array_agg(o.delivery_id) filter (where o.ok) as ids,
      array_agg(o.claim_token) filter (where o.ok) as tokens,
      array_agg(o.provider_message_id) filter (where o.ok) as provider_ids,
      array_agg(o.sent_at) filter (where o.ok) as sent_ats,
      array_agg(o.meta) filter (where o.ok) as metas,
      array_agg(o.parts) filter (where o.ok) as parts,
      array_agg(o.payload_ref) filter (where o.ok) as payload_refs
    into v_given
    from jsonb_to_recordset(p_outcomes) as o (
      delivery_id uuid, claim_token uuid, ok boolean, provider_message_id text, sent_at timestamptz,
      next_retry_at timestamptz, meta jsonb, parts jsonb, payload_ref text
    );
  exception
    when data_exception then
      raise exception using errcode = 'OR001', message = 'commit_outcomes: outcomes cannot be read: ' || left(sqlerrm, 200);
  end;
  -- The JSON types are checked separately: jsonb_to_recordset reads "false" and 0 as booleans, and {} as a text.
  if v_given.faulty > 0
    or jsonb_path_exists(p_outcomes, '$[*] ? (@.ok.type() != "boolean" || @.provider_message_id.type() != "string" || @.payload_ref.type() != "string")')
  then
    raise exception using errcode = 'OR001',
      message = format(
        'commit_outcomes: %s of %s outcomes lack delivery_id, claim_token or a true or false ok, are ok without a provider_message_id (text of 1 to 512 bytes), have a time that is not in the years 1970 to 2200, a meta over 64 KiB, a payload_ref that is no text of 1 to 512 bytes, or parts that are not [{item, provider_message_id}]',
        v_given.faulty, jsonb_array_length(p_outcomes));
  end if;

  if v_given.failures > 0 or outrider.has_streaks(p_workspace_id) then
    v_failures := jsonb_path_query_array(p_outcomes, '$[*] ? (@.ok == false)');
    perform outrider.require_errors('commit_outcomes', v_failures);
    v_well := outrider.end_streaks(p_workspace_id, v_given.ids, v_given.tokens, v_failures, p_now);
    for v_failed in select * from outrider.commit_failures(p_workspace_id, v_failures, v_well, p_now) loop
      return query select v_failed.delivery_id, v_failed.became, v_failed.next_retry_at, v_failed.note;
      v_channels := v_channels || v_failed.channel_id;
      v_tokens := v_tokens || v_failed.claim_token;
      v_counts := v_counts || 1::bigint;
    end loop;
  end if;

  if v_given.ids is not null then
    v_sent := outrider.record_sent(
      p_workspace_id, v_given.ids, v_given.tokens, v_given.provider_ids, v_given.sent_ats, v_given.metas, v_given.parts, v_given.payload_refs,
      p_now);
    return query
    select r.id, 'sent'::outrider.delivery_status, null::timestamptz, null::text from unnest(v_sent.ids) as r (id);
    if cardinality(v_sent.ids) is distinct from cardinality(v_given.ids) then
      return query select * from outrider.explain_stale(p_workspace_id, v_given.ids, v_sent.ids);
    end if;
    v_channels := v_channels || v_sent.channels;
    v_tokens := v_tokens || v_sent.tokens;
    v_counts := v_counts || v_sent.counts;
  end if;

  -- One call for all of them, so that two commits lock the leases they share in the same order.
  if v_channels is not null then
    perform outrider.release_leases(p_workspace_id, v_channels, v_tokens, v_counts);
  end if;
end;
$$;

comment on function outrider.commit_outcomes is $doc$Records what became of sends, many at once.

Each outcome is {delivery_id, claim_token, ok: true, provider_message_id, sent_at?, meta?, parts?, payload_ref?} or
{delivery_id, claim_token, ok: false, error: {category, scope, code, outcome?, cause?, retry_after_ms?, message?, raw?},
next_retry_at?, parts?, payload_ref?}. payload_ref names the platform's raw answer, wherever that is kept; the event
carries it. complete_error fills in `outcome` and `cause` where they are missing. An outcome counts only
while its delivery is `sending` under that very token; a stale one changes nothing, and its row says so.

Concurrency: locks platform_limits, channels, deliveries, leases, each in order. In the usual case everything was sent
and no channel or group has a streak of failures; then no group and no channel is locked, so commits and claims do not
wait for each other.
Returns: one row for each outcome; `became` is null when it was not recorded, and `note` says why.
Raises: OR001, OR002, OR003; then nothing of the batch is recorded.$doc$;

grant execute on function outrider.commit_outcomes to outrider_worker;
