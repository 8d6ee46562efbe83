-- Everything that is wrong now and concerns a workspace, one row for each alert that should be open. Texts are masked.
-- A summary is one line, whatever a platform says in it: a message has a line for each alert.
create or replace function outrider.alert_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language sql
  stable
as $$
  select c.kind, c.subject, c.severity,
    left(outrider.mask_text(regexp_replace(c.summary, '[\s[:cntrl:]\u2028\u2029]+', ' ', 'g')), 700), outrider.mask_json(c.detail), c.news_at
  from (
    select x.* from outrider.failure_conditions(p_settings, p_now) x
    union all
    select x.* from outrider.channel_conditions(p_settings, p_now) x
    union all
    select x.* from outrider.lag_conditions(p_settings, p_now) x
    union all
    select x.* from outrider.orphaned_event_conditions(p_settings) x
    union all
    select x.* from outrider.bot_conditions(p_settings, p_now) x
    union all
    select x.* from outrider.undelivered_conditions(p_settings, p_now) x
    union all
    select x.* from outrider.installation_conditions(p_settings, p_now) x where p_settings.alert_on_installation
  ) c;
$$;
