create or replace function outrider.extend_pull(
  p_workspace_id text,
  p_source_id text,
  p_lease_token uuid,
  p_lease interval,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('extend_pull', p_workspace_id);
  perform outrider.require_puller('extend_pull', p_source_id, p_lease_token, p_now);
  perform outrider.require_pull_length('extend_pull', p_lease);

  update outrider.pull_cursors c set lease_until = greatest(c.lease_until, p_now + p_lease)
  where c.workspace_id = p_workspace_id and c.source_id = p_source_id and c.lease_token = p_lease_token;
  return found;
end;
$$;

comment on function outrider.extend_pull is $doc$Keeps a pull source for its puller while a look takes long: the lease ends at now plus p_lease.

Concurrency: waits for a chunk of the same source that is being taken in.
Returns: false when the lease is lost: another puller has the source, or its configuration has changed.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.extend_pull to outrider_ingest;
