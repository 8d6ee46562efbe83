-- Checks that a caller may write to a pull source now. With a token: it is the token of the source's lease; a lease that
-- is over counts until somebody else takes the source. Without one: nobody holds a lease.
--
-- Raises: OR005.
create or replace function outrider.require_pull_lease(
  p_function text,
  p_cursor outrider.pull_cursors,
  p_lease_token uuid,
  p_now timestamptz
)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_lease_token is null and p_cursor.lease_until > p_now then
    raise exception using errcode = 'OR005',
      message = format('%s: pull source "%s" is being pulled by another', p_function, p_cursor.source_id),
      hint = 'Wait until that pull has ended. A source with `every: never` is left to programs of your own.';
  end if;
  if p_lease_token is not null and p_lease_token is distinct from p_cursor.lease_token then
    raise exception using errcode = 'OR005',
      message = format('%s: the lease on pull source "%s" is lost', p_function, p_cursor.source_id),
      hint = 'Another puller has taken the source, or its configuration has changed; claim it again.';
  end if;
end;
$$;
