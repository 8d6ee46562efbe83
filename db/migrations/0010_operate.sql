-- What operators do and see: a post that somebody has found in its chat, and the record as a list.

-- An operator has found a post of which nobody knew whether it had arrived.
alter type outrider.event_action add value 'manual_resolve';

-- A row of the view outrider.events, for functions that hand such rows on.
create type outrider.event as (
  workspace_id text,
  id uuid,
  delivery_id uuid,
  message_id uuid,
  channel_id text,
  ts timestamptz,
  action outrider.event_action,
  attempt integer,
  result outrider.event_result,
  error jsonb,
  payload_ref text,
  meta jsonb
);
