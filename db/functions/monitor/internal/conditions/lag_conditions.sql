-- What is late in a workspace: due deliveries of open channels, leases that nobody recovers, pull sources that cannot
-- be read, or that nobody reads.
create or replace function outrider.lag_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language plpgsql
  stable
as $$
declare
  v_due record;
  v_leases record;
begin
  select d.channel_id, d.delivery_id, d.due_since into v_due
  from outrider.due_channels(p_settings.workspace_id, p_now) d
  order by d.due_since, d.channel_id
  limit 1;
  if v_due.due_since < p_now - p_settings.alert_oldest_due_over then
    return next row(
      'oldest_due', null, 'critical',
      format('a delivery of channel %s has been due for %s although the channel is open; outrider deliveries show %s says what it waits for',
        outrider.excerpt(v_due.channel_id), outrider.span_in_words(p_now - v_due.due_since), v_due.delivery_id),
      jsonb_build_object('channel_id', v_due.channel_id, 'delivery_id', v_due.delivery_id, 'due_since', v_due.due_since),
      null)::outrider.alert_condition;
  end if;

  select count(*) as leases, sum(l.open_count) as deliveries, min(l.lease_until) as since into v_leases
  from outrider.leases l
  where l.workspace_id = p_settings.workspace_id and l.lease_until < p_now - p_settings.alert_stale_leases_for;
  if v_leases.leases > 0 then
    return next row(
      'stale_leases', null, 'warning',
      format('%s sends are held by a sender that is gone, for %s; does a process run upkeep or dispatch?',
        v_leases.deliveries, outrider.span_in_words(p_now - v_leases.since)),
      jsonb_build_object('leases', v_leases.leases, 'deliveries', v_leases.deliveries, 'since', v_leases.since),
      null)::outrider.alert_condition;
  end if;

  return query
  select (row(
    'pull_lag', s.source_id, 'warning',
    case
      when c.failing_since is not null then format('pull source %1$s has failed for %2$s: %3$s; outrider sources test %4$s reads it now', outrider.excerpt(s.source_id),
        outrider.span_in_words(p_now - c.failing_since), left(c.last_error, 200), s.source_id)
      else format('pull source %s has been due for %s and was not read; does a process run pull?', outrider.excerpt(s.source_id),
        outrider.span_in_words(p_now - c.next_pull_at))
    end,
    jsonb_build_object('source_id', s.source_id, 'since', coalesce(c.failing_since, c.next_pull_at)), null)::outrider.alert_condition).*
  from outrider.pull_sources s
  join outrider.pull_cursors c on c.workspace_id = s.workspace_id and c.source_id = s.source_id
  where s.workspace_id = p_settings.workspace_id and s.enabled
    and coalesce(c.failing_since, c.next_pull_at) < p_now - p_settings.alert_pull_lag_over
  order by s.source_id;
end;
$$;
