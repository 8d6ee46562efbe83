-- What every delivery goes through (it was queued, is being sent, was sent) is written once for many deliveries: a row of
-- the log is packed when it names them in delivery_ids. Everything else stays a row of its own. outrider.events is a view
-- from here on, which shows each delivery's events one by one, as the table did.

alter table outrider.events rename to event_log;
alter table outrider.event_log rename constraint events_pkey to event_log_pkey;
alter index outrider.events_of_delivery_idx rename to event_log_of_delivery_idx;
alter index outrider.events_errors_idx rename to event_log_errors_idx;
alter index outrider.events_by_action_idx rename to event_log_by_action_idx;
alter index outrider.events_of_channel_idx rename to event_log_of_channel_idx;

-- A hundred ids at most, so that they stand in the row itself: PostgreSQL does not know what it costs to fetch larger ones,
-- and would read them all rather than use an index.
alter table outrider.event_log add column delivery_ids uuid[];
alter table outrider.event_log alter column delivery_ids set storage main;
alter table outrider.event_log add constraint only_what_every_delivery_goes_through_is_packed check (
  delivery_ids is null or (delivery_id is null and action in ('enqueue', 'send_attempt', 'sent'))
);

comment on table outrider.event_log is 'what happened, as it is written; outrider.events shows it';
comment on column outrider.event_log.delivery_ids is
  'the deliveries of a packed event; each has its time: created_at (enqueue), sending_started_at or one of earlier_attempts (send_attempt), sent_at (sent)';

-- The packed events of a delivery, whose row tells their times and their message.
create index event_log_packed_idx on outrider.event_log (workspace_id, ts, message_id) where delivery_ids is not null;
drop index outrider.events_of_message_idx;
create index event_log_of_message_idx on outrider.event_log (workspace_id, message_id, ts)
  where delivery_id is null and message_id is not null and delivery_ids is null;

alter table outrider.deliveries add column earlier_attempts timestamptz[];

comment on column outrider.deliveries.earlier_attempts is
  'when earlier attempts began, by their number; null until one has ended without success';
