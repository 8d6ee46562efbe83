create or replace function outrider.list_credentials(p_workspace_id text)
  returns table (auth_ref text, platform text, secret_ref text, channels integer)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('list_credentials', p_workspace_id);

  return query
  with used as (
    select coalesce(r.auth_ref, c.auth_ref) as auth_ref, c.platform, count(*) as channels
    from outrider.channels c
    left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
    where c.workspace_id = p_workspace_id
    group by 1, 2
  ),
  bound as (
    select b.auth_ref, b.platform, b.secret_ref from outrider.credential_bindings b where b.workspace_id = p_workspace_id
  )
  select
    b.auth_ref, b.platform, b.secret_ref,
    (select coalesce(sum(u.channels), 0)::integer from used u where u.auth_ref = b.auth_ref)
  from bound b
  union all
  select u.auth_ref, u.platform, null, u.channels::integer
  from used u
  where not exists (select from bound b where b.auth_ref = u.auth_ref)
  order by 1, 2;
end;
$$;

comment on function outrider.list_credentials is $doc$The credentials of a workspace: where the secret of each is, and how many channels send with it.

A credential that channels name but nobody has bound is listed too, without a secret_ref.
Returns: one row for each credential, by auth_ref; for one that is not bound, one row for each platform.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_credentials to outrider_reader;
