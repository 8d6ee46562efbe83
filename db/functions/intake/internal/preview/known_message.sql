-- A post as the message that an enqueue would go on with (keep_message): the one that is kept of the same content, or a
-- new one, whose id has only zeros. Of a message that a contact was erased from only the id stays.
--
-- p_payload: the post, normalised.
create or replace function outrider.known_message(
  p_workspace_id text,
  p_raw jsonb,
  p_payload jsonb,
  p_now timestamptz
)
  returns outrider.messages
  language plpgsql
  stable
as $$
declare
  c_no_message constant uuid := uuid '00000000-0000-0000-0000-000000000000';
  v_hash constant text := outrider.content_hash(p_payload);
  v_kept outrider.messages;
begin
  select m.* into v_kept from outrider.messages m
  where m.workspace_id = p_workspace_id and m.hash_version = outrider.hash_version() and m.content_hash = v_hash;
  if found and v_kept.erased_at is null then
    return v_kept;
  end if;
  return outrider.new_message(p_workspace_id, coalesce(v_kept.message_id, c_no_message), null, p_raw, p_payload, v_hash,
    null, p_now);
end;
$$;
