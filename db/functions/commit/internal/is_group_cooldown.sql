-- Whether an error stops the whole rate group: a rate limit, or a refusal, of platform scope. An outage of platform scope
-- does not: one broken chat never delays the others. p_error is a complete_error.
create or replace function outrider.is_group_cooldown(p_error jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
return p_error ->> 'scope' = 'platform'
    and (p_error ->> 'category' = 'PERMANENT' or coalesce(p_error ->> 'cause' = 'pace', false));
