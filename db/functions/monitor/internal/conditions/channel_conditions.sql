-- Channels that do not send: too many paused ones, those that refusals have disabled, credentials that a platform
-- refused, and rate groups that a platform stops again and again. A channel that somebody disabled is no surprise and
-- raises nothing. What a platform said is cut, so that what to do about it is not.
create or replace function outrider.channel_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language plpgsql
  stable
as $$
declare
  v_paused text[];
  v_because jsonb;
  v_is_refused boolean;
begin
  v_paused := array(
    select c.channel_id from outrider.channels c
    where c.workspace_id = p_settings.workspace_id and c.enabled and c.paused_until > p_now
    order by c.platform, c.target_id);
  if cardinality(v_paused) > p_settings.alert_paused_channels_over then
    select c.stopped_because into v_because from outrider.channels c
    where c.workspace_id = p_settings.workspace_id and c.channel_id = v_paused[1];
    v_is_refused := exists (
      select from outrider.channels c
      where c.workspace_id = p_settings.workspace_id and c.channel_id = any (v_paused)
        and not coalesce(c.stopped_because ? 'operator', false));
    return next row(
      'paused_channels', null, 'warning',
      case cardinality(v_paused)
        when 1 then format('channel %s is paused%s; %s', outrider.excerpt(v_paused[1]),
          coalesce(': ' || left(outrider.stop_in_words(v_because), 250), ''), outrider.way_back('resume', v_paused[1], v_because))
        else format('%s channels are paused: %s; outrider channels --state paused says why, outrider channels resume <channel>… --reason … ends it%s',
          cardinality(v_paused), outrider.some_names(v_paused), case when v_is_refused then
            ', and for what was refused outrider deliveries requeue --channel <channel> --since 1d --reason …' else '' end)
      end,
      jsonb_build_object('count', cardinality(v_paused), 'channels', v_paused[1:100]), null)::outrider.alert_condition;
  end if;

  return query
  select (row(
    'channel_disabled', c.channel_id, 'critical',
    format('channel %s is disabled%s; %s', outrider.excerpt(c.channel_id),
      coalesce(': ' || left(outrider.stop_in_words(c.stopped_because), 250), ''), outrider.way_back('enable', c.channel_id, c.stopped_because)),
    jsonb_build_object('channel_id', c.channel_id, 'platform', c.platform, 'stopped_because', c.stopped_because), null)::outrider.alert_condition).*
  from outrider.channels c
  where c.workspace_id = p_settings.workspace_id and not c.enabled and not coalesce(c.stopped_because ? 'operator', false)
  order by c.platform, c.target_id
  limit 1000;

  return query
  select (row(
    'credential_refused', g.closed_auth_ref, 'critical',
    format('credential %s%s is refused and %s; replace the token%s, then outrider auth check',
      outrider.excerpt(g.closed_auth_ref), ' (' || min(b.secret_ref) || ')',
      case count(distinct c.channel_id) when 0 then 'the bot''s answers wait' when 1 then '1 channel waits' else count(distinct c.channel_id) || ' channels wait' end,
      -- A process reads its environment once, when it starts.
      case when min(b.secret_ref) like 'env:%' then ', restart what sends with it' end),
    jsonb_build_object('auth_ref', g.closed_auth_ref, 'groups', jsonb_agg(distinct g.platform || '/' || g.rate_group),
      'since', min(g.closed_at)), null)::outrider.alert_condition).*
  from outrider.platform_limits g
  left join outrider.channels c
    on c.workspace_id = g.workspace_id and c.platform = g.platform and c.rate_group = g.rate_group
  left join outrider.credential_bindings b on b.workspace_id = g.workspace_id and b.auth_ref = g.closed_auth_ref
  where g.workspace_id = p_settings.workspace_id and g.closed_at is not null
  group by g.closed_auth_ref
  order by g.closed_auth_ref;

  return query
  select (row(
    'group_stopped', s.rate_group, 'warning',
    format('rate group %s was stopped %s times within 10 minutes, the last time because of %s; '
      'posts wait, none is lost; outrider rate-groups says until when it rests; if it goes on, lower its rate_rps in the configuration, then outrider apply',
      outrider.excerpt(s.rate_group), s.count, coalesce(nullif(left(concat_ws(': ', s.error ->> 'code', s.error ->> 'message'), 250), ''), 'an error')),
    jsonb_build_object('rate_group', s.rate_group, 'count', s.count), null)::outrider.alert_condition).*
  from (
    select concat_ws('/', e.meta ->> 'platform', e.meta ->> 'rate_group') as rate_group, count(*) as count,
      (array_agg(e.error order by e.ts desc))[1] as error
    from outrider.event_log e
    where e.workspace_id = p_settings.workspace_id and e.action = 'group_cooled_down'
      and e.ts > p_now - interval '10 minutes' and e.ts <= p_now
    group by 1
  ) s
  where s.count > p_settings.alert_group_stops_over
  order by s.rate_group;
end;
$$;
