// The events of the bench: an order changes its state. One in four orders of a batch has another event a while later.

export const eventType = 'order_state_changed';
export const aggregateType = 'vendor_order';
export const eventData = { from: 'accepted', to: 'in_transit', reason: 'picked up by the driver' };

/**
 * The rows of `$1` events as an application writes them: id, aggregate_id, envelope, created_at. Both outboxes get the
 * same rows.
 */
export const eventRows = `
  select e.id, e.aggregate_id, e.created_at,
    jsonb_build_object(
      'version', 1, 'eventId', e.id,
      'occurredAt', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'actor', jsonb_build_object('type', 'user', 'id', e.aggregate_id),
      'data', '${JSON.stringify(eventData)}'::jsonb
    ) as envelope
  from (
    select uuidv7() as id, md5((n % (1 + $1 / 4))::text)::uuid as aggregate_id,
      now() - interval '1 hour' + n * interval '1 microsecond' as created_at
    from generate_series(1, $1::integer) n
    offset 0
  ) e`;
