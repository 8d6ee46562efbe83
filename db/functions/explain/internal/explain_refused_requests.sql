-- What the endpoints of a workspace refused or dropped within the last 24 h, by endpoint and reason; the latest 1,000
-- requests of each kind. What such a request said is not on record, so nobody can tell which post it was.
create or replace function outrider.explain_refused_requests(p_workspace_id text, p_now timestamptz)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
begin
  return array(
    select outrider.say(l.reason, null, l.meta - array['run_id', 'trace_id', 'retry_after_ms', 'reason', 'received_at']
      || jsonb_build_object(
        'at', outrider.time_in_words(l.ts), 'error', rtrim(l.meta ->> 'reason', '. '),
        'requests', case l.count when 1 then '1 request' else l.count || ' requests' end, 'window', (
          select e.hash_drop_window_sec from outrider.workspace_endpoints e
          where e.workspace_id = p_workspace_id and e.endpoint_id = l.endpoint_id)))
    from (
      select distinct on (j.reason, j.endpoint_id) j.reason, j.endpoint_id, j.ts, j.meta,
        count(*) over (partition by j.reason, j.endpoint_id) as count
      from (
        select d.ts, d.meta, d.meta ->> 'endpoint_id' as endpoint_id, case
          when d.action = 'ingress_rate_limited' then 'intake_too_fast'
          when d.action = 'ingress_dedup_dropped' then 'intake_repeated_body'
          when d.meta ? 'size_bytes' then 'intake_too_large'
          else 'intake_bad_post'
        end as reason
        from outrider.latest_events(
          p_workspace_id, '{ingress_rate_limited,ingress_payload_rejected,ingress_dedup_dropped}', null,
          tstzrange(p_now - interval '24 hours', p_now, '[]'), 1000) d
        where d.action <> 'ingress_dedup_dropped' or not d.meta ? 'source_ref'
      ) j
      order by j.reason, j.endpoint_id, j.ts desc
    ) l
    order by l.ts desc);
end;
$$;
