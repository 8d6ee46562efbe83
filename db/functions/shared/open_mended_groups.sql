-- Opens the closed rate groups whose problem is solved: the credential that they were closed for was written since then, or
-- none of their channels and no endpoint of a bot uses it any more. p_meta goes on record: who opened them, and why.
--
-- Concurrency: the groups are locked by the caller (apply_rate_groups, rotate_auth), before any channel; one that was closed
-- since and that somebody else has locked is left closed.
create or replace function outrider.open_mended_groups(p_workspace_id text, p_meta jsonb, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_group outrider.platform_limits;
begin
  for v_group in
    select g.* from outrider.platform_limits g
    where g.workspace_id = p_workspace_id and g.closed_at is not null
      and (
        exists (
          select from outrider.credential_bindings b
          where b.workspace_id = g.workspace_id and b.auth_ref = g.closed_auth_ref and b.updated_at > g.closed_at
        )
        or not exists (
          select from outrider.channels c
          left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
          where c.workspace_id = g.workspace_id and c.platform = g.platform and c.rate_group = g.rate_group
            and coalesce(r.auth_ref, c.auth_ref) = g.closed_auth_ref
          union all
          select from outrider.workspace_endpoints e
          where e.workspace_id = g.workspace_id and e.enabled and e.auth_ref = g.closed_auth_ref
        )
      )
    order by g.platform, g.rate_group
    for no key update skip locked
  loop
    perform outrider.open_group(v_group, p_meta, p_now);
  end loop;
end;
$$;
