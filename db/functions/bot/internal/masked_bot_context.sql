-- What a chat has collected, each value masked.
create or replace function outrider.masked_bot_context(p_state outrider.bot_state)
  returns jsonb
  language sql
  stable
as $$
  select case when not p_state.context ? 'values' then p_state.context else p_state.context || jsonb_build_object('values', (
    select coalesce(jsonb_object_agg(v.key, outrider.mask_bot_contacts(v.value, c.contacts)), '{}')
    from jsonb_each_text(p_state.context -> 'values') as v
  )) end
  from outrider.bot_contacts(p_state.workspace_id, null, null, p_state.context) as c (contacts);
$$;
