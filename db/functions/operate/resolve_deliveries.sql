create or replace function outrider.resolve_deliveries(
  p_workspace_id text,
  p_delivery_ids uuid[],
  p_provider_message_ids text[],
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (delivery_id uuid, resolved boolean, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_id uuid;
  v_provider_message_id text;
  v_delivery outrider.deliveries;
  v_refusal text;
  v_sent_at timestamptz;
begin
  perform outrider.require_workspace('resolve_deliveries', p_workspace_id);
  perform outrider.require_list('resolve_deliveries', 'delivery_ids', p_delivery_ids, p_now);
  perform outrider.require_provider_ids('resolve_deliveries', p_provider_message_ids);
  perform outrider.require_flag('resolve_deliveries', 'dry_run', p_dry_run);
  perform outrider.require_operator('resolve_deliveries', p_operator, p_reason);
  if cardinality(p_delivery_ids) <> cardinality(p_provider_message_ids) then
    raise exception using errcode = 'OR001',
      message = format('resolve_deliveries: there are %s delivery_ids and %s provider_message_ids; one is needed for each',
        cardinality(p_delivery_ids), cardinality(p_provider_message_ids));
  end if;
  if cardinality(p_delivery_ids) > (select count(distinct x.id) from unnest(p_delivery_ids) as x (id)) then
    raise exception using errcode = 'OR001', message = 'resolve_deliveries: delivery_ids names a delivery twice';
  end if;

  for v_id, v_provider_message_id in
    select x.id, x.provider_message_id from unnest(p_delivery_ids, p_provider_message_ids) as x (id, provider_message_id)
    order by x.id
  loop
    select d.* into v_delivery from outrider.deliveries d
    where d.workspace_id = p_workspace_id and d.delivery_id = v_id
    for no key update;

    v_refusal := outrider.resolve_fault(v_delivery);
    if v_refusal is null and not p_dry_run then
      v_sent_at := coalesce(v_delivery.earlier_attempts[v_delivery.attempt], v_delivery.failed_at);
      update outrider.deliveries d
      set status = 'sent', sent_at = v_sent_at, provider_message_id = v_provider_message_id,
          outcome_unknown = false, waited = null, failed_at = null, updated_at = p_now
      where d.workspace_id = p_workspace_id and d.delivery_id = v_id;
      perform outrider.write_delivery_event(v_delivery, 'manual_resolve', null,
        jsonb_build_object('operator', p_operator, 'reason', p_reason, 'from_status', v_delivery.status,
          'provider_message_id', v_provider_message_id, 'sent_at', v_sent_at), p_now);
    end if;
    return query select v_id, v_refusal is null, v_refusal;
  end loop;
end;
$$;

comment on function outrider.resolve_deliveries is $doc$Records that failed deliveries have arrived, on an operator's order: nobody knew whether they had, and somebody has
found the posts in the chat. p_provider_message_ids has the platform's id of each, in the order of p_delivery_ids. A
delivery whose post is not in the chat is sent again by requeue_deliveries.

`sent_at` becomes the time at which the delivery was last tried, not the time of this call: the post has been in the chat
since then, so its dedup window begins there.
p_dry_run: only says what it would do.
Refused, each with its reason: a delivery that is not failed_permanent, or of which it is known that it did not arrive.
Concurrency: deliveries are locked in order.
Returns: one row for each id.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.resolve_deliveries to outrider_worker;
