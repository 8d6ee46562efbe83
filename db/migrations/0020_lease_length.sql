-- A lease knows its own length: a sender that cannot extend its leases claims with longer ones, and extending one
-- adds what was claimed, not what the workspace has chosen for others.

alter table outrider.leases add column lease_length interval;
update outrider.leases l
set lease_length = coalesce(
  (select s.sending_lease from outrider.workspace_settings s where s.workspace_id = l.workspace_id), interval '30 seconds');
alter table outrider.leases
  alter column lease_length set not null,
  add constraint a_lease_lasts_for_some_time check (lease_length > interval '0');

comment on column outrider.leases.lease_length is 'what the claim asked for, else sending_lease of the workspace; extending adds as much';
