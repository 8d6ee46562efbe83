-- What every delivery goes through (it was queued, is being sent, was sent) is written once for many deliveries: a row of
-- the log is packed when it names them in delivery_ids. Everything else stays a row of its own. outrider.events is a view
-- from here on, which shows each delivery's events one by one, as the table did.

alter table outrider.events rename to event_log;

-- Ids do not compress; what is too large for its page goes beside it as it is.
alter table outrider.event_log add column delivery_ids uuid[];
alter table outrider.event_log alter column delivery_ids set storage external;
alter table outrider.event_log add constraint only_what_every_delivery_goes_through_is_packed check (
  delivery_ids is null or (delivery_id is null and action in ('enqueue', 'send_attempt', 'sent'))
);

comment on table outrider.event_log is 'what happened, as it is written; outrider.events shows it';
comment on column outrider.event_log.delivery_ids is
  'the deliveries of a packed event; each has its time: created_at (enqueue), sending_started_at or one of earlier_attempts (send_attempt), sent_at (sent)';

-- The packed events of a delivery, whose row tells their times and their message.
create index events_packed_idx on outrider.event_log (workspace_id, ts, message_id) where delivery_ids is not null;
drop index outrider.events_of_message_idx;
create index events_of_message_idx on outrider.event_log (workspace_id, message_id, ts)
  where delivery_id is null and message_id is not null and delivery_ids is null;

alter table outrider.deliveries add column earlier_attempts timestamptz[];

comment on column outrider.deliveries.earlier_attempts is
  'when earlier attempts began, by their number; null until one has ended without success';
