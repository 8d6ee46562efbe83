-- What people ordered for a delivery and its post: the latest order to send the delivery again or to take it from the process
-- that had it, then the erasing of a contact from the post.
--
-- Returns: a list of two at most; empty when nobody ordered anything.
create or replace function outrider.explain_orders(p_delivery outrider.deliveries)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
declare
  v_order record;
  v_erased_at timestamptz;
  v_said outrider.explanation[] := array[]::outrider.explanation[];
begin
  -- Both orders leave the same event. Its former status says which it was.
  v_order := outrider.latest_order(p_delivery, 'manual_requeue');
  if v_order.ts is not null then
    v_said := v_said || outrider.say(
      case when v_order.meta ->> 'from_status' in ('sending', 'claimed') then 'released' else 'requeued' end, null,
      jsonb_build_object('delivery_id', p_delivery.delivery_id, 'operator', v_order.meta ->> 'operator',
        'said', rtrim(v_order.meta ->> 'reason', '. '), 'at', outrider.time_in_words(v_order.ts)));
  end if;
  select x.erased_at into v_erased_at
  from (
    select m.erased_at, m.workspace_id from outrider.messages m where m.message_id = p_delivery.message_id
    offset 0 -- by the id alone, see next_steps
  ) x
  where x.workspace_id = p_delivery.workspace_id;
  if v_erased_at is not null then
    v_said := v_said || outrider.say('erased', null, jsonb_build_object('at', outrider.time_in_words(v_erased_at)));
  end if;
  return v_said;
end;
$$;
