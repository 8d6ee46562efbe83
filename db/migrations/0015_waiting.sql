-- Waiting is not failing: what a delivery that is only told to wait has to remember.

alter table outrider.workspace_settings
  add column give_up_after interval not null default '24 hours',
  add constraint give_up_after_is_positive
    check (give_up_after > interval '0' and give_up_after <= interval '1000 years');

comment on column outrider.workspace_settings.give_up_after is
  'How long a delivery may be made to wait by rate limits and by a platform that is away; then it is dead.';

-- A column can only be added behind those that never change. It is null on the usual path, where the log of a claim
-- and of a send therefore still ends before it, and no index reads it.
alter table outrider.deliveries
  add column waited interval,
  add constraint waited_is_positive check (waited > interval '0');

comment on column outrider.deliveries.waited is
  'how long its platform has made it wait since its last attempt that counts; null when that was its last';
