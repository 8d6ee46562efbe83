create or replace function outrider.commit_sent(
  p_workspace_id text,
  p_delivery_ids uuid[],
  p_claim_tokens uuid[],
  p_provider_message_ids text[],
  p_now timestamptz default clock_timestamp()
)
  returns table (delivery_id uuid, note text)
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
declare
  v_sent record;
begin
  perform outrider.require_workspace('commit_sent', p_workspace_id);
  perform outrider.require_list('commit_sent', 'delivery_ids', p_delivery_ids, p_now);
  perform outrider.require_list('commit_sent', 'claim_tokens', p_claim_tokens, p_now);
  perform outrider.require_provider_ids('commit_sent', p_provider_message_ids);
  if cardinality(p_claim_tokens) <> cardinality(p_delivery_ids)
    or cardinality(p_provider_message_ids) <> cardinality(p_delivery_ids)
  then
    raise exception using errcode = 'OR001',
      message = format('commit_sent: %s delivery_ids, %s claim_tokens and %s provider_message_ids do not run in parallel',
        cardinality(p_delivery_ids), cardinality(p_claim_tokens), cardinality(p_provider_message_ids));
  end if;

  if outrider.has_streaks(p_workspace_id) then
    perform outrider.end_streaks(p_workspace_id, p_delivery_ids, p_claim_tokens, '[]', p_now);
  end if;
  v_sent := outrider.record_sent(
    p_workspace_id, p_delivery_ids, p_claim_tokens, p_provider_message_ids, null, null, null, null, p_now);
  if v_sent.ids is not null then
    perform outrider.release_leases(p_workspace_id, v_sent.channels, v_sent.tokens, v_sent.counts);
  end if;
  if cardinality(v_sent.ids) is distinct from cardinality(p_delivery_ids) then
    return query select s.delivery_id, s.note from outrider.explain_stale(p_workspace_id, p_delivery_ids, v_sent.ids) s;
  end if;
end;
$$;

comment on function outrider.commit_sent is $doc$Records that deliveries were sent, many at once, with nothing but their provider_message_ids: the short form of
commit_outcomes. The three lists run in parallel.

Concurrency: as commit_outcomes.
Returns: one row for each delivery that was not recorded, with the reason; none when all were recorded.
Raises: OR001, OR002, OR003; then nothing of the batch is recorded.$doc$;

grant execute on function outrider.commit_sent to outrider_worker;
