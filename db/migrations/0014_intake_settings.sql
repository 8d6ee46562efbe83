-- The settings of a workspace that taking a post in needs. All of them would be copied from function to function with
-- every post, and the intake would slow down with each setting that is added for something else.
create type outrider.intake_settings as (
  workspace_id text,
  max_attempts integer,
  sending_lease interval,
  keep_deduped_rows boolean,
  ingress_receipts_retention interval
);

alter type outrider.admission alter attribute settings type outrider.intake_settings;
