create or replace function outrider.release_pull(
  p_workspace_id text,
  p_source_id text,
  p_lease_token uuid,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('release_pull', p_workspace_id);
  perform outrider.require_puller('release_pull', p_source_id, p_lease_token, p_now);

  update outrider.pull_cursors c set lease_token = null, lease_until = null, leased_by = null
  where c.workspace_id = p_workspace_id and c.source_id = p_source_id and c.lease_token = p_lease_token;
  return found;
end;
$$;

comment on function outrider.release_pull is $doc$Gives a pull source back before it is read to its end, as a puller does that is stopped. The source is as due as it was
before, so the next puller takes it at once.

Returns: false when the lease was lost already.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.release_pull to outrider_ingest;
