-- Moves rows of the queue that have become due to the front of their channel (`available_at` '-infinity'), where order
-- of arrival counts.
--
-- Concurrency: the channels are locked by the caller. A row that somebody else is changing is left for the next claim.
-- At most p_limit rows of a channel are moved at once, the earliest first, so that a large schedule that falls due does
-- not hold up a claim.
create or replace function outrider.promote_due(
  p_workspace_id text,
  p_channels text[],
  p_limit integer,
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
begin
  update outrider.delivery_queue q
  set available_at = '-infinity'
  where q.ctid = any (array(
    select d.tid
    from unnest(p_channels) as c (channel_id)
    cross join lateral (
      select w.ctid as tid
      from outrider.delivery_queue w
      where w.workspace_id = p_workspace_id and w.channel_id = c.channel_id
        and w.available_at > '-infinity' and w.available_at <= p_now and not w.claimed
      order by w.available_at
      limit p_limit
      for update skip locked
    ) d
  ));
end;
$$;
