create or replace function outrider.purge_expired(
  p_limit integer,
  p_dry_run boolean,
  p_now timestamptz default clock_timestamp()
)
  returns table (what text, workspace_id text, removed bigint, more boolean, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set lock_timeout = '50ms'
as $$
declare
  v_purged outrider.purged[];
begin
  perform outrider.require_count('purge_expired', p_limit, 10000);
  perform outrider.require_flag('purge_expired', 'dry_run', p_dry_run);
  perform outrider.require_time('purge_expired', p_now);

  v_purged :=
    array(select x from outrider.purge_workspaces(p_limit, p_dry_run, p_now) as x)
    || array(select x from outrider.purge_ingress_receipts(p_limit, p_dry_run, p_now) as x)
    || array(select x from outrider.purge_message_traces(p_limit, p_dry_run, p_now) as x)
    || array(select x from outrider.purge_processed(p_limit, p_dry_run, p_now) as x)
    || array(select x from outrider.purge_alerts(p_limit, p_dry_run, p_now) as x)
    || array(select x from outrider.purge_heartbeats(p_limit, p_dry_run, p_now) as x)
    || array(select x from outrider.purge_samples(p_limit, p_dry_run, p_now) as x);

  -- Last, because it keeps everybody from the event log until this transaction ends; and only when nothing else is
  -- left to do, so that it is tried once and not with every batch.
  if p_dry_run or not exists (select from unnest(v_purged) as u where u.more) then
    v_purged := v_purged || array(select x from outrider.drop_event_partition(p_dry_run, p_now) as x);
  end if;

  return query select u.what, u.workspace_id, u.removed, u.more, u.note from unnest(v_purged) as u;
end;
$$;

comment on function outrider.purge_expired is $doc$Deletes what has been kept long enough, by the settings of each workspace: events, deliveries with their messages,
runs of intake, receipts, traces of posts, what bots were told and answered, marks of consumers, alerts that are over, signs
of life of processes that are gone, samples of the status page.

Events go after events_retention; those of the longest retention go with the partition of their day. Deliveries
go after deliveries_retention, counted from when they were sent or failed; one that was sent, or suppressed as a
repeat, also outlives the dedup window of its channel, and none goes before its events. What is on its way stays,
however old. Messages go when they have no delivery left and were not seen for deliveries_retention, and media_origin.ref_count
falls with them.
A workspace is gone through once a day: what expires goes within a day.
p_limit: how many rows of each kind are looked at.
p_dry_run: only counts, all there are; it locks nothing and may
take its time.
Concurrency: waits for no row; whatever is locked is left for the next day. A caller that needs a row which is being
deleted (the same content comes again, an operator requeues) waits for the end of this transaction, so call it on its own
and with a small limit. It waits for tables for 50 ms: a partition is dropped under a lock on event_log, one in a call. Calls at the
same time share the workspaces among them.
Returns: a row for each kind and workspace of which something was removed; call it again while one of them has `more`.
What was left because somebody uses the event log has a row with a `note`.
Raises: OR001.$doc$;

grant execute on function outrider.purge_expired to outrider_service;
