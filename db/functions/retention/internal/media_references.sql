-- How many messages of a workspace name each blob.
create or replace function outrider.media_references(p_workspace_id text)
  returns table (blob_ref text, messages bigint)
  language sql
  stable
as $$
  select e.item ->> 'blob_ref', count(distinct m.message_id)
  from outrider.messages m
  cross join lateral jsonb_array_elements(m.payload -> 'media') as e (item)
  where m.workspace_id = p_workspace_id and e.item ? 'blob_ref'
  group by 1;
$$;
