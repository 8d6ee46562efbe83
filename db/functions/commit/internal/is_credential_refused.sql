-- Whether an error says that the platform refuses the credential itself: no post can be sent with it, and none is at
-- fault. p_error is a complete_error.
create or replace function outrider.is_credential_refused(p_error jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
return p_error ->> 'category' = 'TRANSIENT' and coalesce(p_error ->> 'cause' = 'credential', false);
