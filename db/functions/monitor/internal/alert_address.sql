-- Where a message to an alert target goes: {kind, target_id, auth_ref, secret_ref, platform, rate_group, url, recipients}.
-- secret_ref is that of the credential for a chat, and that of the signature for a webhook. A chat is on the platform of its
-- credential, and in the rate group of the channels that post with it.
create or replace function outrider.alert_address(p_target outrider.alert_targets)
  returns json
  language sql
  stable
as $$
  select json_build_object(
    'kind', p_target.kind, 'target_id', p_target.target_id, 'auth_ref', p_target.auth_ref, 'url', p_target.url,
    'recipients', p_target.recipients, 'platform', b.platform,
    'secret_ref', case when p_target.kind = 'chat' then b.secret_ref else p_target.secret_ref end,
    'rate_group', case when p_target.kind = 'chat' then outrider.credential_group(p_target.workspace_id, p_target.auth_ref) end)
  from (values (1)) as one (row)
  left join outrider.credential_bindings b
    on b.workspace_id = p_target.workspace_id and b.auth_ref = p_target.auth_ref;
$$;
