-- Channels that do not send: too many paused ones, those that refusals have disabled, and credentials that a platform
-- refused. A channel that somebody disabled is no surprise and raises nothing.
create or replace function outrider.channel_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language plpgsql
  stable
as $$
declare
  v_paused text[];
begin
  v_paused := array(
    select c.channel_id from outrider.channels c
    where c.workspace_id = p_settings.workspace_id and c.enabled and c.paused_until > p_now
    order by c.platform, c.target_id);
  if cardinality(v_paused) > p_settings.alert_paused_channels_over then
    return next row(
      'paused_channels', null, 'warning',
      format('%s paused: %s; outrider channels --state paused says why',
        case cardinality(v_paused) when 1 then '1 channel is' else cardinality(v_paused) || ' channels are' end,
        outrider.some_names(v_paused)),
      jsonb_build_object('count', cardinality(v_paused), 'channels', v_paused[1:100]), null)::outrider.alert_condition;
  end if;

  return query
  select (row(
    'channel_disabled', c.channel_id, 'critical',
    format('channel %s is disabled%s; mend it, then outrider channels enable %s',
      outrider.excerpt(c.channel_id), coalesce(': ' || outrider.stop_in_words(c.stopped_because), ''), c.channel_id),
    jsonb_build_object('channel_id', c.channel_id, 'platform', c.platform, 'stopped_because', c.stopped_because), null)::outrider.alert_condition).*
  from outrider.channels c
  where c.workspace_id = p_settings.workspace_id and not c.enabled and not coalesce(c.stopped_because ? 'operator', false)
  order by c.platform, c.target_id
  limit 1000;

  return query
  select (row(
    'credential_refused', g.closed_auth_ref, 'critical',
    format('credential %s is refused and %s: replace the token, then outrider auth check',
      outrider.excerpt(g.closed_auth_ref),
      case count(distinct c.channel_id) when 1 then '1 channel waits' else count(distinct c.channel_id) || ' channels wait' end),
    jsonb_build_object('auth_ref', g.closed_auth_ref, 'groups', jsonb_agg(distinct g.platform || '/' || g.rate_group),
      'since', min(g.closed_at)), null)::outrider.alert_condition).*
  from outrider.platform_limits g
  left join outrider.channels c
    on c.workspace_id = g.workspace_id and c.platform = g.platform and c.rate_group = g.rate_group
  where g.workspace_id = p_settings.workspace_id and g.closed_at is not null
  group by g.closed_auth_ref
  order by g.closed_auth_ref;
end;
$$;
