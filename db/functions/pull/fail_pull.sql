create or replace function outrider.fail_pull(
  p_workspace_id text,
  p_source_id text,
  p_lease_token uuid,
  p_error text,
  p_retry_after interval,
  p_now timestamptz default clock_timestamp()
)
  returns timestamptz
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_error constant text := left(outrider.mask_text(p_error), 500);
  v_cursor outrider.pull_cursors;
begin
  perform outrider.require_workspace('fail_pull', p_workspace_id);
  perform outrider.require_puller('fail_pull', p_source_id, p_lease_token, p_now);
  perform outrider.require_text('fail_pull', 'error', p_error, 10000);
  if p_retry_after not between interval '0' and interval '31 days' then
    raise exception using errcode = 'OR001',
      message = format('fail_pull: retry_after is %s; 0 to 31 days are allowed', p_retry_after);
  end if;

  update outrider.pull_cursors c
  set failures = c.failures + 1, failing_since = coalesce(c.failing_since, p_now), last_error = v_error,
      next_pull_at = case when c.next_pull_at is not null then p_now + outrider.pull_delay(c.failures + 1, p_retry_after, random()) end,
      lease_token = null, lease_until = null, leased_by = null
  where c.workspace_id = p_workspace_id and c.source_id = p_source_id and c.lease_token = p_lease_token
  returning c.* into v_cursor;
  if v_cursor.failures = 1 then
    insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, error, meta)
    values (
      p_workspace_id, gen_random_uuid(), p_now, 'pull_failed', 0, 'error',
      outrider.normal_error(jsonb_build_object(
        'category', 'TRANSIENT', 'scope', 'delivery', 'code', 'source_away', 'outcome', 'refused', 'message', v_error)),
      outrider.mask_json(jsonb_build_object('source_id', p_source_id, 'next_pull_at', v_cursor.next_pull_at)));
  end if;
  return v_cursor.next_pull_at;
end;
$$;

comment on function outrider.fail_pull is $doc$Records that a pull source could not be read. The source waits: 1 minute after the first failure, twice as long after each
further one, up to 1 hour, and p_retry_after at least. The first failure in a row leaves an event `pull_failed`; the pull
that succeeds afterwards leaves `pull_recovered`.

p_error: a sentence for people; it is masked and cut to 500 characters.
p_retry_after: how long the source asks to be left alone; null when it does not say.
Returns: when the source is due again; null when the lease was lost already, and then nothing is recorded.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.fail_pull to outrider_ingest;
