-- Adds the posts of a span of time to the counters, as the runs of intake have them.
create or replace function outrider.count_posts(p_from timestamptz, p_to timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  insert into outrider.metric_counters as m (workspace_id, metric, label, value)
  select w.workspace_id, 'outrider_posts_total', r.kind || '/' || v.verdict, sum(v.posts)
  from outrider.workspaces w
  cross join lateral (
    select x.kind::text, x.stats_json as stats
    from outrider.ingest_runs x
    where x.workspace_id = w.workspace_id and x.started_at >= p_from and x.started_at < p_to
  ) r
  cross join lateral (values
    ('accepted', (r.stats ->> 'accepted')::bigint),
    ('rejected', coalesce((r.stats ->> 'rejected')::bigint, (r.stats ->> 'payload_rejected')::bigint)),
    ('repeated', (r.stats ->> 'dedup_dropped')::bigint),
    ('rate_limited', (r.stats ->> 'rate_limited')::bigint)
  ) as v (verdict, posts)
  where v.posts > 0
  group by w.workspace_id, r.kind, v.verdict
  on conflict (workspace_id, metric, platform, channel_id, label) do update set value = m.value + excluded.value;
end;
$$;
