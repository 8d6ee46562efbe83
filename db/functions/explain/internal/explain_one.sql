-- Everything that can be said about one delivery: what it waits for, or how it ended, and then what people did with it.
-- The main reason comes first.
create or replace function outrider.explain_one(p_delivery outrider.deliveries, p_now timestamptz)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
declare
  v_channel outrider.channels;
  v_group outrider.platform_limits;
  v_title text;
  v_said outrider.explanation[];
begin
  select c.* into v_channel from outrider.channels c
  where c.workspace_id = p_delivery.workspace_id and c.channel_id = p_delivery.channel_id;
  select g.* into v_group from outrider.platform_limits g
  where g.workspace_id = p_delivery.workspace_id and g.platform = v_channel.platform and g.rate_group = v_channel.rate_group;
  select p.title into v_title from outrider.platforms p where p.platform = v_channel.platform;
  v_said := outrider.explain_waiting(p_delivery, v_channel, v_group, v_title, p_now)
    || outrider.explain_end(p_delivery, v_title);
  return v_said || array(
    select row(o.because, o.until, o.detail, o.advice)::outrider.explanation
    from unnest(outrider.explain_orders(p_delivery)) with ordinality as o (because, until, detail, advice, n)
    where not (o.detail ->> 'reason' = 'requeued' and v_said[1].detail ->> 'reason' = 'retry_ordered')
    order by o.n);
end;
$$;
