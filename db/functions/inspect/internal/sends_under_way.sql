-- What some channels are sending now, the longest under way first: at most p_limit. `text` is the beginning of the text,
-- masked.
create or replace function outrider.sends_under_way(p_workspace_id text, p_channels text[], p_limit integer)
  returns json
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'delivery_id', x.delivery_id, 'message_id', x.message_id, 'channel_id', x.channel_id, 'attempt', x.attempt,
      'started_at', x.sending_started_at, 'lease_until', x.lease_until, 'text', left(outrider.mask_text(left(x.rendered_text, 1000)), 80)
    ) order by x.sending_started_at, x.seq), '[]')
    from (
      select d.*, l.lease_until
      from unnest(p_channels) as c (id)
      join outrider.leases l on l.workspace_id = p_workspace_id and l.channel_id = c.id and l.open_count > 0
      cross join unnest(l.delivery_ids) as u (id)
      cross join lateral (
        select y.* from outrider.deliveries y where y.delivery_id = u.id
        offset 0 -- by the id alone, see next_steps
      ) d
      -- An open lease still names deliveries that it no longer holds.
      where d.workspace_id = p_workspace_id and d.status = 'sending' and d.claim_token = l.claim_token
      order by d.sending_started_at, d.seq
      limit p_limit
    ) x
  );
end;
$$;
