-- Waiting is not failing: what a delivery that is only told to wait has to remember, and what a rate group does whose
-- platform is away or refuses its credential.

alter type outrider.event_action add value 'group_closed';
alter type outrider.event_action add value 'group_opened';

alter table outrider.workspace_settings
  add column give_up_after interval not null default '24 hours',
  add column outage_after_channels integer not null default 3,
  add constraint give_up_after_is_positive
    check (give_up_after > interval '0' and give_up_after <= interval '1000 years'),
  add constraint one_broken_channel_is_no_outage check (outage_after_channels between 2 and 1000);

comment on column outrider.workspace_settings.give_up_after is
  'How long a delivery may be made to wait by rate limits and by a platform that is away; then it is dead.';
comment on column outrider.workspace_settings.outage_after_channels is
  'How many channels of a rate group in a row must find their platform ill before the group rests.';

-- A column can only be added behind those that never change. It is null on the usual path, where the log of a claim
-- and of a send therefore still ends before it, and no index reads it.
alter table outrider.deliveries
  add column waited interval,
  add constraint waited_is_positive check (waited > interval '0');

comment on column outrider.deliveries.waited is
  'how long its platform has made it wait since its last attempt that counts; null when that was its last';

-- What stops a group beside a cooldown. No index reads it, and on the usual path nothing writes it.
alter table outrider.platform_limits
  add column last_error jsonb,
  add column opened_at timestamptz,
  add column outage_channels text[] collate "C",
  add column outage_since timestamptz,
  add column resting_until timestamptz,
  add column closed_at timestamptz,
  add column closed_auth_ref text collate "C",
  add constraint a_streak_names_its_channels check (cardinality(outage_channels) > 0),
  add constraint an_outage_has_its_channels_and_its_rest check (
    (outage_since is null) = (resting_until is null)
    and (outage_since is null or outage_channels is not null)
  ),
  add constraint a_closed_group_names_the_credential_that_closed_it
    check ((closed_at is null) = (closed_auth_ref is null));

comment on column outrider.platform_limits.last_error is 'what stopped the group last';
comment on column outrider.platform_limits.opened_at is
  'when the group was last opened again; a send that was begun before says nothing of how it does since';
comment on column outrider.platform_limits.outage_channels is
  'the channels that found the platform ill, one after the other and without a success between; the latest last';
comment on column outrider.platform_limits.outage_since is 'since when so many have that the group rests, or is probed';
comment on column outrider.platform_limits.closed_at is
  'since when nothing is sent because the platform refused a credential; a person opens it again';
