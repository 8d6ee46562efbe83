-- When a channel last sent something, as found by a short search: null when none of the deliveries that it reads was
-- sent.
--
-- No index has the time of sending, so that a send need not update one. The delivery that was sent last is nearly
-- always among a channel's newest deliveries or, behind a backlog, right before one of the first that are due.
create or replace function outrider.last_sent_at(p_workspace_id text, p_channel_id text)
  returns timestamptz
  language plpgsql
  stable
as $$
begin
  return (
    select max(x.sent_at)
    from (
      (
        select d.sent_at from outrider.deliveries d
        where d.workspace_id = p_workspace_id and d.channel_id = p_channel_id
        order by d.seq desc
        limit 20
      )
      union all
      select d.sent_at
      from (
        select q.seq from outrider.delivery_queue q
        where q.workspace_id = p_workspace_id and q.channel_id = p_channel_id and q.available_at = '-infinity'
        order by q.seq
        limit 3
      ) first
      cross join lateral (
        select b.sent_at from outrider.deliveries b
        where b.workspace_id = p_workspace_id and b.channel_id = p_channel_id and b.seq < first.seq
        order by b.seq desc
        limit 10
      ) d
    ) x
  );
end;
$$;
