-- The delivery of some channels that has been due longest, among those that are first in the queues of their channels; null
-- when nothing is due.
create or replace function outrider.oldest_due(p_workspace_id text, p_channels text[], p_now timestamptz)
  returns json
  language plpgsql
  stable
as $$
begin
  return (
    select json_build_object('delivery_id', d.delivery_id, 'channel_id', c.id, 'due_since', d.due_since)
    from unnest(p_channels) as c (id)
    cross join lateral (
      select w.delivery_id from outrider.delivery_queue w
      where w.workspace_id = p_workspace_id and w.channel_id = c.id and w.available_at <= p_now and not w.claimed
      order by w.available_at, w.seq
      limit 1
    ) q
    cross join lateral (
      select x.workspace_id, x.delivery_id, case x.status when 'retry' then x.next_retry_at else x.not_before end as due_since
      from outrider.deliveries x
      where x.delivery_id = q.delivery_id
      offset 0 -- by the id alone, see next_steps
    ) d
    where d.workspace_id = p_workspace_id
    order by d.due_since, d.delivery_id
    limit 1
  );
end;
$$;
