-- Whether events of the outbox may be deleted by whoever calls: the login, or the role that it acts in, has been given
-- outrider_retention by name.
--
-- A superuser is a member of every role, and who creates a role may give it away: neither is what is meant.
create or replace function outrider.may_purge_outbox()
  returns boolean
  language sql
  stable
as $$
  select exists (
    select from pg_roles r
    where r.rolname in (outrider.acting_login(), session_user)
      and (
        r.rolname = 'outrider_retention'
        or (not r.rolsuper and pg_has_role(r.oid, 'outrider_retention', 'usage'))
        or (r.rolsuper and exists (
          select from pg_auth_members m where m.member = r.oid and m.roleid = 'outrider_retention'::regrole))
      )
  );
$$;
