-- A warning if the posts of a channel would fail because its credential is not configured; otherwise null. A credential of
-- another platform is refused: see credential_fault.
create or replace function outrider.credential_warning(p_workspace_id text, p_channel_id text)
  returns text
  language sql
  stable
as $$
  select format('no credential %s is configured, so posts to it will fail', outrider.excerpt(a.auth_ref))
  from outrider.channels c
  left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
  cross join lateral (select coalesce(r.auth_ref, c.auth_ref) as auth_ref) a
  left join outrider.credential_bindings b on b.workspace_id = c.workspace_id and b.auth_ref = a.auth_ref
  where c.workspace_id = p_workspace_id and c.channel_id = p_channel_id and b.auth_ref is null;
$$;
