-- What happened: a row for each event, and for each delivery that it is of. A plain event of the log is one row. A packed
-- one (event_log.delivery_ids) is a row for each of its deliveries, which tell what they do not have in common.
--
-- delivery_id is that of a delivery which is there. Of one that was deleted, plain events show none, and it has no part in
-- packed events any more; what is left of it stands in event_log.
-- Plans: `where delivery_id = …`, or a join by it, finds the delivery first, and then its plain events by delivery_id and
-- its packed ones by its own times, which are their key. Any other condition finds the events first and their deliveries
-- by id alone: `(array[d.workspace_id])[1]` is d.workspace_id, in a form by which no delivery can be looked for, because
-- without statistics PostgreSQL would read all those of a workspace for each event. A `case` instead of `coalesce`, and an
-- `or` instead of one array of all times: row security lets only what cannot leak a value use an index.
create or replace view outrider.events with (security_invoker = true) as
select
  e.workspace_id,
  case when e.delivery_ids is null then e.id
    else (left(e.id::text, 13) || left(md5(e.id::text || d.delivery_id::text), 20))::uuid
  end as id,
  d.delivery_id,
  coalesce(e.message_id, d.message_id) as message_id,
  coalesce(e.channel_id, d.channel_id) as channel_id,
  e.ts,
  e.action,
  case
    when e.delivery_ids is null or e.action = 'enqueue' then e.attempt
    when e.action = 'sent' or e.ts = d.sending_started_at then d.attempt
    else array_position(d.earlier_attempts, e.ts)
  end as attempt,
  e.result,
  e.error,
  e.payload_ref,
  case
    when e.delivery_ids is null or e.action = 'enqueue' then e.meta
    when e.action = 'sent'
      then jsonb_object(array['trace_id', 'provider_message_id'], array[d.trace_id, d.provider_message_id])
    else jsonb_object(
      array['trace_id', 'run_id', 'idempotency_key'], array[d.trace_id, e.meta ->> 'run_id', d.delivery_id::text])
  end as meta
from outrider.event_log e
left join outrider.deliveries d
  on d.delivery_id = any (case when e.delivery_ids is null then array[e.delivery_id] else e.delivery_ids end)
  and (
    (e.workspace_id = d.workspace_id and e.delivery_id = d.delivery_id)
    or (e.workspace_id = (array[d.workspace_id])[1] and e.delivery_ids is not null and e.ts = d.created_at and e.message_id = d.message_id)
    or (e.workspace_id = (array[d.workspace_id])[1] and e.delivery_ids is not null and e.ts = any (array[d.sending_started_at, d.sent_at]))
    or (e.workspace_id = (array[d.workspace_id])[1] and e.delivery_ids is not null and e.ts = any (d.earlier_attempts))
  )
where e.delivery_ids is null or d.delivery_id is not null;

grant select on outrider.events to outrider_reader;
