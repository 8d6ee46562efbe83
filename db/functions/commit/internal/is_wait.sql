-- Whether an error only asks to come back later, which is no failed attempt: a rate limit, a platform to which not even
-- a connection was made, or a problem of the sender that the platform knows nothing about. A server error that names a
-- time is not a wait: nobody knows what the server did with the post. p_error is a complete_error.
create or replace function outrider.is_wait(p_error jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
return p_error ->> 'category' = 'TRANSIENT'
    and coalesce(
      p_error ->> 'cause' in ('pace', 'sender')
      or (p_error ->> 'cause' = 'outage' and p_error ->> 'outcome' = 'not_sent'),
      false
    );
