-- Says why outcomes were not recorded: the delivery is no longer being sent under that token, or does not exist. When a
-- delivery was named twice, at most one of its outcomes was recorded.
create or replace function outrider.explain_stale(p_workspace_id text, p_delivery_ids uuid[], p_recorded uuid[])
  returns table (delivery_id uuid, became outrider.delivery_status, next_retry_at timestamptz, note text)
  language sql
  stable
as $$
  select
    o.id, null::outrider.delivery_status, null::timestamptz,
    case when d.delivery_id is null then 'unknown: there is no such delivery in this workspace'
      else format('stale: the delivery is "%s" and not held under this token', d.status) end
  from (
    select u.id, row_number() over (partition by u.id) as nth from unnest(p_delivery_ids) as u (id)
  ) o
  left join outrider.deliveries d on d.workspace_id = p_workspace_id and d.delivery_id = o.id
  where o.nth > 1 or o.id <> all (coalesce(p_recorded, '{}'));
$$;
