-- The reasons for which nothing of a workspace, a channel or a rate group is sent (reasons).
create or replace function outrider.reasons_of_gates()
  returns table (reason text, because text, advice text)
  language sql
  immutable
  parallel safe
as $$
  values
    ('workspace_paused',
      'Workspace {workspace_id} is paused: it takes posts in and sends none.',
      'Write `status: active` into its file, then `outrider apply <file>`.'),
    ('workspace_disabled',
      'Workspace {workspace_id} is disabled: it neither sends posts nor takes any in.',
      'Write `status: active` into its file, then `outrider apply <file>`.'),
    ('channel_paused',
      'Channel {channel_id} is paused{why}.',
      'Wait until the pause ends, or end it: `outrider channels resume {channel_id} --reason …`.'),
    ('channel_paused_for_good',
      'Channel {channel_id} is paused{why}, until somebody resumes it.',
      'End the pause: `outrider channels resume {channel_id} --reason …`.'),
    ('channel_paused_after_refusal',
      'Channel {channel_id} is paused, because {platform} refused it: {error}.',
      '{remedy} Then `outrider channels resume {channel_id} --reason …`, or wait until the pause ends.'),
    ('channel_disabled',
      'Channel {channel_id} is disabled{why}.',
      'Enable it: `outrider channels enable {channel_id} --reason …`.'),
    ('channel_disabled_after_refusals',
      'Channel {channel_id} was disabled, because {platform} refused it several times in a row: {error}.',
      '{remedy} Then `outrider channels enable {channel_id} --reason …`.'),
    ('channel_cooling_down',
      '{platform} asked channel {channel_id} to wait.',
      'Wait: it goes on by itself. If this comes often, lower `rate_rps` of the channel.'),
    ('window_closed',
      'Channel {channel_id} waits for its posting window, whose times are those of {timezone}.',
      'Wait until it opens, or change `posting_window` of the channel and `outrider apply` it.'),
    ('window_never_opens',
      'The posting window of channel {channel_id} never opens.',
      'Give `posting_window` of the channel some hours, or set `window_mode: immediate`, and `outrider apply` it.'),
    ('group_cooling_down',
      '{platform} asked rate group {rate_group}, to which channel {channel_id} belongs, to wait{why}.',
      'Wait: it goes on by itself. If this comes often, lower `rate_rps` of the group, or find out what else uses the same token.'),
    ('group_resting',
      'Rate group {rate_group} rests, because {platform} seems to be ill: {why}.',
      'Wait: after the rest one post at a time tries whether {platform} is well. `outrider rate-groups` shows how it goes.'),
    ('group_probing',
      'Rate group {rate_group} is probed with one post at a time, because {platform} was ill: {why}.',
      'Wait: the first post that arrives opens the group. If none does, `outrider events --errors --since 30m` says why.'),
    ('credential_refused',
      'Rate group {rate_group} is closed, because {platform} refused credential {auth_ref}{secret}.',
      'Replace the token, restart the dispatchers if it is an environment variable, then `outrider auth check`: that opens the group.');
$$;
