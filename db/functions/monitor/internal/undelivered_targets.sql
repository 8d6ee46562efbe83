-- The enabled alert targets of a workspace that messages do not reach: one was tried and has waited for ten minutes, or
-- was given up within the last day and none got through since.
create or replace function outrider.undelivered_targets(p_workspace_id text, p_now timestamptz)
  returns table (alert_target_id text, since timestamptz, last_error text, waiting integer)
  language sql
  stable
as $$
  select t.alert_target_id, min(n.created_at), (array_agg(n.last_error order by n.created_at desc))[1],
    count(*) filter (where n.status = 'queued')::integer
  from outrider.alert_targets t
  join outrider.alert_notifications n
    on n.workspace_id = t.workspace_id and n.alert_target_id = t.alert_target_id and n.status <> 'sent'
  where t.workspace_id = p_workspace_id and t.enabled and n.last_error is not null
    and case n.status
      when 'queued' then n.created_at <= p_now - interval '10 minutes'
      else n.ended_at > p_now - interval '1 day' and n.ended_at >= coalesce(t.reached_at, '-infinity')
    end
  group by t.alert_target_id;
$$;
