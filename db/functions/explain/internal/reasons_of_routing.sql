-- The reasons for which a post that came in has no delivery in a channel, and what happened to the post itself (reasons).
create or replace function outrider.reasons_of_routing()
  returns table (reason text, because text, advice text)
  language sql
  immutable
  parallel safe
as $$
  values
    ('not_routed_include_any',
      'The channel takes posts with one of the tags {wanted}, and this one has {tags}.',
      'Give the post such a tag, or change `route_filter.include_any` of the channel; then hand it in again.'),
    ('not_routed_include_all',
      'The channel takes posts with all of the tags {wanted}, and this one lacks {missing}.',
      'Give the post what it lacks, or change `route_filter.include_all` of the channel; then hand it in again.'),
    ('not_routed_exclude',
      'The channel takes no posts with the tag {excluded}, and this one has it.',
      'Take the tag away, or change `route_filter.exclude` of the channel; then hand the post in again.'),
    ('not_routed_text_only',
      'The channel takes text and leaves media out, and this post has nothing but media.',
      'Give the post a text, or change `send_mode` of the channel; then hand it in again.'),
    ('not_routed_disabled',
      'The channel is disabled{why}, and takes no posts.',
      'Enable it (`outrider channels enable {channel_id} --reason …`), then hand the post in again.'),
    ('channel_is_newer',
      'The channel was made at {made_at}, after the post came in.',
      'Hand the post in again: channels that have it already take it for a repeat.'),
    ('not_routed_then',
      'The channel did not take the post when it came in; as it is configured now, it would.',
      'Hand the post in again: channels that have it already take it for a repeat.'),
    ('delivery_purged',
      'What became of it in the channel is no longer kept: what has ended is deleted after {kept}.',
      'Ask the chat itself. To keep deliveries for longer, raise `deliveries_retention` of the workspace.'),
    ('no_channels',
      'Workspace {workspace_id} has no channels, so no post goes anywhere.',
      'Write channels into its file, then `outrider apply <file>`, and hand the post in again.'),
    ('other_tags',
      'It came in again at {at} with the tags {other_tags}; those that it came with first count: {kept_tags}.',
      'If it is another post, give it other words: posts are told apart by what they say.'),
    ('media_left_out',
      'It came in without one of its media: {error}.',
      'Make sure that the file can be fetched, then hand the post in again with other words.'),
    ('erased',
      'A contact of a person was erased from it at {at}; the word "erased" stands in its place.',
      'Nothing is left to do. The same post, handed in again, goes out as it comes.'),
    ('others_fit',
      '{others} as well; this is the newest of those that fit best.',
      'Explain another one by its id: {ids}.');
$$;
