-- What a question about a post is answered with, and how a post is found by the name that its source has for it.

-- One answer: a sentence that says why, until when that holds, the facts in it, and a sentence that says what to do.
create type outrider.explanation as (
  because text,
  until timestamptz,
  detail jsonb,
  advice text
);

-- Which message came in under this source_ref? It begins with the reference: no plan scans a workspace by it.
create index messages_by_source_ref_idx on outrider.messages (source_ref, workspace_id) where source_ref is not null;

-- A message that fits what somebody looks for (posts_found). `fits` is 1 for an id, 2 for a name, 3 for the exact text
-- or a part of an id, and 4 for a part of the text.
create type outrider.found_post as (
  message_id uuid,
  delivery_id uuid,
  fits integer,
  at timestamptz
);
