-- Deliveries that failed: dead letters, refusals for good within ten minutes, and refusals of the checks before queueing
-- within ten minutes. The latest 10,000 failures are searched.
create or replace function outrider.failure_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language plpgsql
  stable
as $$
declare
  v_recent constant timestamptz := p_now - interval '10 minutes';
  v_dead record;
  v_failed record;
begin
  select sum(c.count)::integer as count, max(c.last_at) as last_at,
    jsonb_object_agg(c.channel_id, c.count) as channels, array_agg(c.channel_id order by c.count desc, c.channel_id) as names
  into v_dead
  from (
    select d.channel_id, count(*) as count, max(d.failed_at) as last_at
    from (
      select x.channel_id, x.status, x.failed_at from outrider.deliveries x
      where x.workspace_id = p_settings.workspace_id and x.failed_at is not null and x.failed_at <= p_now
      order by x.failed_at desc
      limit 10000
    ) d
    where d.status = 'dead'
    group by d.channel_id
  ) c;
  if v_dead.count > 0 then
    return next row(
      'dead_letters', null, 'critical',
      format('%s dead in %s; outrider deliveries --status dead lists them, '
        'outrider deliveries requeue --status dead --since 1d --over 10m --reason … sends them again',
        case v_dead.count when 1 then '1 delivery is' else v_dead.count || ' deliveries are' end, outrider.some_names(v_dead.names)),
      jsonb_build_object('count', v_dead.count, 'channels', v_dead.channels), v_dead.last_at)::outrider.alert_condition;
  end if;

  for v_failed in
    select d.is_preflight, count(*)::integer as count, array_agg(distinct d.channel_id) as channels,
      mode() within group (order by d.code) as code, (array_agg(d.message order by d.failed_at desc))[1] as message
    from (
      select x.channel_id, x.failed_at, x.last_error ->> 'code' as code, x.last_error ->> 'message' as message,
        -- A platform refuses with that code, too, after an attempt.
        coalesce(x.attempt = 0 and x.last_error ->> 'code' = 'validation_failed', false) as is_preflight
      from outrider.deliveries x
      where x.workspace_id = p_settings.workspace_id and x.failed_at > v_recent and x.failed_at <= p_now
        and x.status = 'failed_permanent'
      order by x.failed_at desc
      limit 10000
    ) d
    group by d.is_preflight
  loop
    if v_failed.is_preflight then
      return next row(
        'validation_failed', null,
        case when v_failed.count > p_settings.alert_failed_permanent_over then 'warning' else 'info' end,
        format('%s refused by the checks before queueing within 10 minutes, in %s, the last one because: %s; outrider events --action validation_failed --since 1h lists them',
          case v_failed.count when 1 then '1 delivery was' else v_failed.count || ' deliveries were' end,
          outrider.some_names(v_failed.channels), left(v_failed.message, 250)),
        jsonb_build_object('count', v_failed.count, 'channels', v_failed.channels), null)::outrider.alert_condition;
    elsif v_failed.count > p_settings.alert_failed_permanent_over then
      return next row(
        'failed_permanent', null, 'warning',
        format('%s deliveries failed for good within 10 minutes, in %s, most of them with %s: %s; outrider events --errors --since 30m lists them',
          v_failed.count, outrider.some_names(v_failed.channels), coalesce(v_failed.code, 'no code'),
          coalesce(left(v_failed.message, 250), 'no message')),
        jsonb_build_object('count', v_failed.count, 'channels', v_failed.channels, 'code', v_failed.code), null)::outrider.alert_condition;
    end if;
  end loop;
end;
$$;
