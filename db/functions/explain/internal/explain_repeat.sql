-- Why the latest repeat of a message was suppressed in a channel, after the delivery that the channel has of it.
--
-- p_delivery: that delivery; all nulls where there is none.
-- Returns: a list of one; empty when nothing was suppressed since.
create or replace function outrider.explain_repeat(
  p_message outrider.messages,
  p_channel_id text,
  p_delivery outrider.deliveries
)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
declare
  v_suppressed outrider.deliveries;
  v_again record;
begin
  if p_delivery.status = 'deduped' or p_message.seen_count = 1 then
    return array[]::outrider.explanation[];
  end if;
  v_suppressed := outrider.latest_suppressed(p_message.workspace_id, p_message.message_id, p_channel_id);
  select x.delivery_id, x.meta into v_again
  from (
    select v_suppressed.delivery_id, o.meta, o.ts
    from outrider.latest_order(v_suppressed, 'dedup_suppressed') o
    union all
    select null, e.meta, e.ts
    from outrider.latest_of_post(p_message.workspace_id, p_message.message_id) e
    where e.channel_id = p_channel_id and e.action = 'dedup_suppressed'
  ) x
  where x.ts >= coalesce(p_delivery.created_at, '-infinity') and x.meta is not null
  order by x.ts desc
  limit 1;
  if not found then
    return array[]::outrider.explanation[];
  end if;
  return array[outrider.explain_suppressed(p_message.workspace_id, p_channel_id, v_again.delivery_id, v_again.meta)];
end;
$$;
