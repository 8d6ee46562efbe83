-- The kinds of alerts, and the words for several alerts of a kind; null where a workspace has one alert of the kind at
-- most.
create or replace function outrider.alert_kinds()
  returns table (kind text, many text)
  language sql
  immutable
  parallel safe
as $$
  values
    ('dead_letters', null),
    ('failed_permanent', null),
    ('validation_failed', null),
    ('paused_channels', null),
    ('channel_disabled', 'channels are disabled'),
    ('credential_refused', 'credentials are refused'),
    ('group_stopped', 'rate groups are stopped again and again'),
    ('oldest_due', null),
    ('stale_leases', null),
    ('pull_lag', 'pull sources lag behind'),
    ('outbox_lag', null),
    ('silent_service', 'services give no sign of life'),
    ('open_transaction', null),
    ('orphaned_events', null),
    ('store_refuses', 'services cannot keep media'),
    ('bot_turns', null),
    ('bot_errors', null),
    ('bot_dead_replies', null),
    ('bot_fallbacks', null),
    ('bot_escalations', null),
    ('bot_silence', 'bots hear nothing'),
    ('alert_undelivered', 'alert targets cannot be reached');
$$;
