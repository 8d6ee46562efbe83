-- Why a channel cannot be given a credential, in words; null when it can. An all-null channel is an unknown one.
-- p_auth_ref: what it sends with now. p_rate_group: the group that it is to be in, null for its own.
create or replace function outrider.rotation_fault(
  p_channel outrider.channels,
  p_auth_ref text,
  p_credential outrider.credential_bindings,
  p_rate_group text
)
  returns text
  language sql
  immutable
as $$
  select case
    when p_channel.channel_id is null then 'there is no such channel in this workspace'
    when p_channel.platform <> p_credential.platform
      then format('it is on %s, and the credential is for %s', p_channel.platform, p_credential.platform)
    when p_auth_ref = p_credential.auth_ref and coalesce(p_rate_group, p_channel.rate_group) = p_channel.rate_group
      then 'it sends with this credential already'
  end;
$$;
