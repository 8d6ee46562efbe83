-- The reasons for which a post never came in, as far as there is a record of them (reasons).
create or replace function outrider.reasons_of_intake()
  returns table (reason text, because text, advice text)
  language sql
  immutable
  parallel safe
as $$
  values
    ('never_came_in',
      'Nothing that workspace {workspace_id} keeps fits: no id, no source_ref, no item of a source, no post with exactly this text, and none of its newest {searched} posts has these words.',
      'See what the caller was answered: a push with a wrong secret gets 401 and leaves no record here. Or look for other words of it.'),
    ('intake_repeat',
      'Endpoint {endpoint_id} dropped it at {at}: it had taken the same source_ref at {received_at} already.',
      'Nothing has to be done for a repeat. Another post needs a source_ref of its own.'),
    ('intake_repeated_body',
      'Endpoint {endpoint_id} dropped {requests} within the last 24 h as repeats of what it took less than {window} s before; the latest at {at}.',
      'Give each post a source_ref, so that repeats are told by it, or lower `hash_drop_window_sec` of the endpoint.'),
    ('intake_too_fast',
      'Endpoint {endpoint_id} refused {requests} within the last 24 h for coming faster than its `ingress_rps` of {ingress_rps} allows; the latest at {at}.',
      'Let the caller repeat them after the time that the answer names (`Retry-After`), or raise `ingress_rps` of the endpoint.'),
    ('intake_too_large',
      'Endpoint {endpoint_id} refused {requests} within the last 24 h for being too large; the latest, at {at}, had {size_bytes} bytes of {max_payload_bytes}.',
      'Send media as links instead of texts, or raise `max_payload_bytes` of the endpoint.'),
    ('intake_bad_post',
      'Endpoint {endpoint_id} refused {requests} within the last 24 h; the latest, at {at}: {error}.',
      'Correct what the answer names, in the post or in its signature, and push it again.'),
    ('intake_workspace_disabled',
      'Workspace {workspace_id} is disabled, so its endpoints refuse every push and leave no record of it.',
      'Write `status: active` into its file, then `outrider apply <file>`, and push again.'),
    ('intake_endpoint_disabled',
      'Endpoint {endpoint_id} is disabled, so it answers every push as if its secret were wrong and leaves no record of it.',
      'Write `enabled: true` for the endpoint into the file, then `outrider apply <file>`, and push again.'),
    ('item_refused',
      'Item {item_ref} of source {source_id} was refused at {at}: {error}.',
      'Correct it at the source, under a new name: an item is taken once.'),
    ('item_held',
      'Source {source_id} stops before item {item_ref}, because a medium of it cannot be fetched: {pulls} ended there so far.',
      'Bring the medium back. The fourth pull takes the item without it.'),
    ('source_failing',
      'Source {source_id} cannot be read since {since}: {error}.',
      'Mend what it says, and try it: `outrider sources test {source_id}`.'),
    ('source_idle',
      'Source {source_id} is read by nobody: it is disabled, or its config says `every: never`.',
      'Enable it in the file and `outrider apply` it, or read it once: `outrider sources pull {source_id} --reason …`.');
$$;
