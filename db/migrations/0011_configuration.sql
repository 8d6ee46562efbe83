-- What configuration may not be: values that a claim could not count with, which would stop all that a workspace
-- sends, and names that no index can hold.

alter table outrider.workspace_settings
  add constraint durations_are_within_a_thousand_years check (
    greatest(
      backoff_base, backoff_cap, not_ready_backoff_min, not_ready_backoff_max, pause_on_permanent_for, group_cooldown,
      sending_lease, claimed_lease, recovery_backoff, events_retention, deliveries_retention,
      ingress_receipts_retention, payload_ref_retention, origin_retention, origin_retention_large_video
    ) <= interval '1000 years'
  );

alter table outrider.channels
  add constraint dedup_ttl_is_within_a_thousand_years check (dedup_ttl_hours <= 8766000),
  add constraint rate_rps_is_at_least_one_in_eleven_days check (rate_rps = 0 or rate_rps >= 0.000001);

alter table outrider.platform_limits
  add constraint group_rate_is_at_least_one_in_eleven_days check (rate_rps = 0 or rate_rps >= 0.000001),
  add constraint rate_group_is_short check (length(rate_group) between 1 and 128);

alter table outrider.workspace_endpoints
  add constraint endpoint_rate_is_at_least_one_in_eleven_days check (ingress_rps >= 0.000001);

alter table outrider.credential_bindings
  add constraint auth_ref_is_short check (length(auth_ref) between 1 and 128);

alter table outrider.pull_sources
  add constraint source_id_is_short check (length(source_id) between 1 and 200);
