-- The login that a function acts for: the role that `set role` chose, or else the session's login. current_user does
-- not tell: inside a security definer function it is the owner.
create or replace function outrider.acting_login()
  returns name
  language sql
  stable
  parallel safe
return coalesce(nullif(current_setting('role', true), 'none')::name, session_user);
