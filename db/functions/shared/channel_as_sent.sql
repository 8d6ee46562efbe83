-- What a sender needs to know of a channel.
--
-- p_auth_ref: the credential that channel_auth names, else the channel's own. p_secret_ref: where its secret is kept.
create or replace function outrider.channel_as_sent(p_channel outrider.channels, p_auth_ref text, p_secret_ref text)
  returns json
  language sql
  stable
  parallel safe
return json_build_object(
    'channel_id', (p_channel).channel_id, 'platform', (p_channel).platform, 'target_id', (p_channel).target_id,
    'auth_ref', p_auth_ref, 'secret_ref', p_secret_ref, 'rate_group', (p_channel).rate_group, 'settings', (p_channel).settings
  );
