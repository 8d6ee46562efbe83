-- The enabled alert targets of a workspace that messages do not reach: one has waited for ten minutes, or was given up
-- within the last day and none got through since. A message that nobody has tried waits for as long as its target has
-- been as it is.
--
-- Returns: `tried` is false when nobody has tried any of its messages.
create or replace function outrider.undelivered_targets(p_workspace_id text, p_now timestamptz)
  returns table (alert_target_id text, since timestamptz, last_error text, waiting integer, tried boolean)
  language sql
  stable
as $$
  select t.alert_target_id, min(n.created_at),
    coalesce(
      (array_agg(n.last_error order by n.created_at desc) filter (where n.last_error is not null))[1],
      case when bool_or(n.attempts > 0) then 'it has not answered' else 'no monitor has sent it' end),
    count(*) filter (where n.status = 'queued')::integer, bool_or(n.attempts > 0)
  from outrider.alert_targets t
  join outrider.alert_notifications n
    on n.workspace_id = t.workspace_id and n.alert_target_id = t.alert_target_id and n.status <> 'sent'
  where t.workspace_id = p_workspace_id and t.enabled
    and case n.status
      when 'queued' then
        case when n.attempts = 0 then greatest(n.created_at, t.updated_at) else n.created_at end <= p_now - interval '10 minutes'
      else n.ended_at > p_now - interval '1 day' and n.ended_at >= coalesce(t.reached_at, '-infinity')
    end
  group by t.alert_target_id;
$$;
