-- The login on whose behalf a function runs: what `set role` chose, else the session's own. Inside a
-- security definer function current_user is the owner and tells nothing.
create or replace function outrider.acting_login()
  returns name
  language sql
  stable
  parallel safe
return coalesce(nullif(current_setting('role', true), 'none')::name, session_user);
