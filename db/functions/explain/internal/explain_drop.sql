-- When an endpoint last dropped a push under a source_ref that it had taken already. The latest 1,000 such events of the
-- workspace are searched.
--
-- Returns: a list of one; empty when there is none. `until` is when the endpoint forgets the source_ref.
create or replace function outrider.explain_drop(p_workspace_id text, p_source_ref text)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
declare
  v_kept constant text := outrider.mask_json(jsonb_build_object('source_ref', p_source_ref)) ->> 'source_ref';
begin
  return array(
    select outrider.say('intake_repeat', r.expires_at, jsonb_build_object(
      'endpoint_id', d.meta ->> 'endpoint_id', 'at', outrider.time_in_words(d.ts),
      'received_at', outrider.time_in_words((d.meta ->> 'received_at')::timestamptz)))
    from outrider.latest_events(p_workspace_id, '{ingress_dedup_dropped}', null, tstzrange(null, null), 1000) d
    left join outrider.ingress_receipts r
      on r.workspace_id = p_workspace_id and r.endpoint_id = d.meta ->> 'endpoint_id' and r.source_ref = p_source_ref
    where d.meta ->> 'source_ref' = v_kept
    order by d.ts desc
    limit 1);
end;
$$;
