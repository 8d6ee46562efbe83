-- What operators order, and what a channel says of itself while it does not send.

alter type outrider.event_action add value 'channel_resumed';
alter type outrider.event_action add value 'endpoint_secret_changed';

alter table outrider.channels
  add column stopped_because jsonb,
  add constraint a_stopped_channel_says_who_or_what check (stopped_because ? 'operator' or stopped_because ? 'code');

comment on column outrider.channels.stopped_because is
  'why it is paused or disabled: {operator, reason}, or the {code, message} that a provider refused with';

-- Two names that were never read are those of the specification now; a source of any other kind stays as it is until
-- somebody changes it.
update outrider.pull_sources set kind = 'api' where kind = 'json_api';
update outrider.pull_sources set kind = 'db' where kind = 'sql';
alter table outrider.pull_sources
  drop constraint pull_source_kind_is_a_slug,
  add constraint pull_source_kind_is_known check (kind in ('rss', 'api', 'db', 'vk_wall')) not valid;
