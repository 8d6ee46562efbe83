-- Whether an error only asks to come back later, which is no failed attempt: a rate limit, a platform of which not even
-- the connection was made, or the sender's own trouble, of which the platform knows nothing. A server that failed and
-- names a time is none of these: what it did with the post is not known. p_error is a complete_error.
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
