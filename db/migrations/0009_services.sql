-- What the services ask of the schema: leases that are short because a live sender extends them.

alter table outrider.workspace_settings
  alter column sending_lease set default '30 seconds',
  alter column recovery_backoff set default '10 seconds';

comment on column outrider.workspace_settings.sending_lease is
  'How long a delivery stays with a sender that is no longer heard of; a live one extends it every third of this.';

-- Those that nobody has chosen.
update outrider.workspace_settings set sending_lease = '30 seconds' where sending_lease = '300 seconds';
update outrider.workspace_settings set recovery_backoff = '10 seconds' where recovery_backoff = '15 seconds';
