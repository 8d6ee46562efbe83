-- Whether an error concerns the rate group of its channel, so that the group has to be locked to record it. p_error is a
-- complete_error.
create or replace function outrider.touches_group(p_error jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
return outrider.is_group_cooldown(p_error) or outrider.is_illness(p_error) or outrider.is_credential_refused(p_error);
