-- The refused_change of a channel whose credential is of another platform; null for the others.
create or replace function outrider.credential_fault(p_workspace_id text, p_channel_id text)
  returns jsonb
  language sql
  stable
as $$
  select outrider.refused_change('channel', c.channel_id,
    format('channel %s: auth_ref %s is a credential of %s, not of %s',
      outrider.excerpt(c.channel_id), outrider.excerpt(b.auth_ref), b.platform, c.platform),
    'Name a credential of the channel''s own platform.')
  from outrider.channels c
  left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
  join outrider.credential_bindings b on b.workspace_id = c.workspace_id and b.auth_ref = coalesce(r.auth_ref, c.auth_ref)
  where c.workspace_id = p_workspace_id and c.channel_id = p_channel_id and b.platform <> c.platform;
$$;
