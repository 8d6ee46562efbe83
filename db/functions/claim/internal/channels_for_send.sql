-- What a sender needs to know of channels, in the order of p_channels. A claim builds it once for each channel, not for
-- each delivery.
create or replace function outrider.channels_for_send(p_workspace_id text, p_channels text[])
  returns json[]
  language plpgsql
  stable
as $$
begin
  return array(
    select outrider.channel_as_sent(c, coalesce(a.auth_ref, c.auth_ref), b.secret_ref)
    from outrider.channels c
    left join outrider.channel_auth a on a.workspace_id = c.workspace_id and a.channel_id = c.channel_id
    left join outrider.credential_bindings b
      on b.workspace_id = c.workspace_id and b.auth_ref = coalesce(a.auth_ref, c.auth_ref)
    where c.workspace_id = p_workspace_id and c.channel_id = any (p_channels)
    order by array_position(p_channels, c.channel_id)
  );
end;
$$;
