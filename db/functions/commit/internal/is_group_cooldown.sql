-- Whether an error stops the whole rate group: a rate limit, or a refusal, of platform scope. A timeout
-- or a 5xx of platform scope does not: one broken chat never delays the others.
create or replace function outrider.is_group_cooldown(p_error jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
return p_error ->> 'scope' = 'platform'
    and (
      p_error ->> 'category' = 'PERMANENT'
      or p_error ->> 'code' in ('rate_limited', '429')
      or (p_error ->> 'retry_after_ms' is not null and p_error ->> 'code' !~ '^(5\d\d|timeout|outcome_unknown)$')
    );
