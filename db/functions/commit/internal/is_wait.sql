-- Whether an error only asks to come back later, which is no failed attempt: a rate limit, a refusal of a channel or a
-- platform that says for how long, a platform of which not even the connection was made; or what the platform knows
-- nothing of, a media store that is away and a send that was stopped before a byte of its next call left. A server that
-- failed and names a time is none of these: what it did with the post is not known.
create or replace function outrider.is_wait(p_error jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
return p_error ->> 'category' = 'TRANSIENT'
    and (
      p_error ->> 'code' in ('429', 'rate_limited', 'unreachable', 'media_unreadable', 'aborted')
      or (
        p_error ->> 'retry_after_ms' is not null and p_error ->> 'scope' in ('channel', 'platform')
        and p_error ->> 'code' !~ '^(5\d\d|timeout|outcome_unknown)$'
      )
    );
