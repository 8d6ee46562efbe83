-- Alert targets that could not be reached for ten minutes, or whose message was given up within the last day and none
-- was delivered since. What nobody has tried is no fault of the target.
create or replace function outrider.undelivered_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language sql
  stable
as $$
  select (row(
    'alert_undelivered', u.alert_target_id, 'warning',
    format('alert target %s could not be reached for %s: %s; mend it, then outrider alerts test %s', outrider.excerpt(u.alert_target_id),
      outrider.span_in_words(p_now - u.since), left(u.last_error, 250), u.alert_target_id),
    jsonb_build_object('alert_target_id', u.alert_target_id, 'since', u.since), null)::outrider.alert_condition).*
  from outrider.undelivered_targets(p_settings.workspace_id, p_now) u
  where u.tried
  order by u.alert_target_id;
$$;
