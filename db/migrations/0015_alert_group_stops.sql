-- A platform that says "too many requests" again and again, or is ill for long, is worth an alert: posts are late.
alter table outrider.workspace_settings
  add column alert_group_stops_over integer not null default 4,
  add constraint alert_group_stops_over_is_not_negative check (alert_group_stops_over >= 0);

comment on column outrider.workspace_settings.alert_group_stops_over is
  'How often a platform may stop a rate group within ten minutes before an alert opens.';
