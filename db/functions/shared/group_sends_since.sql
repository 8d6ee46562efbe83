-- When the latest of a rate group's sends in progress began; null when there is none.
create or replace function outrider.group_sends_since(p_group outrider.platform_limits)
  returns timestamptz
  language plpgsql
  stable
  parallel safe
as $$
begin
  return (
    select max(d.sending_started_at)
    from outrider.channels c
    join outrider.leases l on l.workspace_id = c.workspace_id and l.channel_id = c.channel_id
    cross join lateral unnest(l.delivery_ids) as u (id)
    join outrider.deliveries d on d.delivery_id = u.id and d.claim_token = l.claim_token and d.status = 'sending'
    where c.workspace_id = p_group.workspace_id and c.platform = p_group.platform and c.rate_group = p_group.rate_group
      and l.open_count > 0
  );
end;
$$;
