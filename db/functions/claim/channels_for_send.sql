-- What a sender needs to know of channels, in the order given: written out once per claim, not per
-- delivery. The credential is the one that channel_auth names, if it names one.
create or replace function outrider.channels_for_send(p_workspace_id text, p_channels text[])
  returns json[]
  language plpgsql
  stable
as $$
begin
  return array(
    select json_build_object(
      'channel_id', c.channel_id, 'platform', c.platform, 'target_id', c.target_id, 'auth_ref', a.auth_ref,
      'secret_ref', b.secret_ref, 'rate_group', c.rate_group, 'settings', c.settings
    )
    from outrider.channels c
    left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
    cross join lateral (select coalesce(r.auth_ref, c.auth_ref) as auth_ref) a
    left join outrider.credential_bindings b on b.workspace_id = c.workspace_id and b.auth_ref = a.auth_ref
    where c.workspace_id = p_workspace_id and c.channel_id = any (p_channels)
    order by array_position(p_channels, c.channel_id)
  );
end;
$$;
