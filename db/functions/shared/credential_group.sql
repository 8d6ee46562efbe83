-- The rate group in which calls with a credential count: that of the channels that post with it, or else a group of the
-- credential's own name.
create or replace function outrider.credential_group(p_workspace_id text, p_auth_ref text)
  returns text
  language sql
  stable
as $$
  select coalesce((
    select min(c.rate_group) from outrider.channels c
    join outrider.credential_bindings b on b.workspace_id = c.workspace_id and b.auth_ref = p_auth_ref and b.platform = c.platform
    left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
    where c.workspace_id = p_workspace_id and coalesce(r.auth_ref, c.auth_ref) = p_auth_ref), p_auth_ref);
$$;
