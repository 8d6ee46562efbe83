create or replace function outrider.purge_outbox(
  p_older_than interval,
  p_limit integer,
  p_dry_run boolean,
  p_now timestamptz default clock_timestamp()
)
  returns table (what text, workspace_id text, removed bigint, more boolean, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_before timestamptz;
  v_events bigint;
  v_replays bigint;
  v_skips bigint;
begin
  if p_older_than is null or p_older_than < interval '0' or p_older_than > interval '1000 years' then
    raise exception using errcode = 'OR001', message = 'purge_outbox: older_than must be a time from 0 to 1000 years';
  end if;
  perform outrider.require_count('purge_outbox', p_limit, 10000);
  perform outrider.require_flag('purge_outbox', 'dry_run', p_dry_run);
  perform outrider.require_time('purge_outbox', p_now);
  v_before := p_now - p_older_than;

  if not outrider.may_purge_outbox() then
    -- Who has no events need not hear of a grant for them.
    return query
    select 'outbox_events', null::text, 0::bigint, false,
      format(
        'login "%s" is no member of outrider_retention: the outbox is not purged; to have it purged, grant outrider_retention to %I',
        session_user, session_user)
    where exists (select from outrider.outbox_events);
    return;
  end if;

  if p_dry_run then
    select count(*) into v_events from outrider.outbox_events e where e.published_at < v_before;
    select count(*) into v_replays from outrider.outbox_replays r where r.replayed_at < v_before;
    select count(*) into v_skips from outrider.outbox_skips s where s.skipped_at < v_before;
  else
    v_events := outrider.purge_outbox_events(p_older_than, p_limit, p_now)::bigint;
    delete from outrider.outbox_replays r
    where r.replay_id = any (array(select x.replay_id from outrider.outbox_replays x where x.replayed_at < v_before limit p_limit));
    get diagnostics v_replays = row_count;
    delete from outrider.outbox_skips s
    where s.skip_id = any (array(select x.skip_id from outrider.outbox_skips x where x.skipped_at < v_before limit p_limit));
    get diagnostics v_skips = row_count;
  end if;

  return query
  select u.what, null::text, u.removed, not p_dry_run and u.removed >= p_limit, null::text
  from (values ('outbox_events', v_events), ('outbox_replays', v_replays), ('outbox_skips', v_skips)) as u (what, removed)
  where u.removed > 0;
end;
$$;

comment on function outrider.purge_outbox is $doc$Deletes events of the outbox that were published longer than p_older_than ago, and the records of replays and skips
of that age, p_limit of each at most. What is not published stays, however old.

p_dry_run: only counts, all there are.
Concurrency: passes over what another purge is deleting.
Returns: a row for each kind of which something was removed; call it again while one of them has `more`. A login that is no
member of outrider_retention, neither itself nor in the role that it acts in, is told so in the `note` of one row if
there are events, and nothing is deleted.
Raises: OR001.$doc$;

grant execute on function outrider.purge_outbox to outrider_service, outrider_retention;
