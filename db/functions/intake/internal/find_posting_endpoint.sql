-- Finds the endpoint that a post came to, for a caller that names it, and checks that it takes posts.
--
-- p_source_ref: that of the post. Without one the endpoint's pace is locked, because take_receipt requires it.
-- Raises: OR001, OR002, OR003, in the name of p_function.
create or replace function outrider.find_posting_endpoint(
  p_function text,
  p_workspace_id text,
  p_endpoint_id text,
  p_source_ref text
)
  returns outrider.workspace_endpoints
  language plpgsql
  volatile
as $$
declare
  v_endpoint constant outrider.workspace_endpoints :=
    outrider.posting_endpoint(p_function, p_workspace_id, p_endpoint_id);
begin
  if nullif(p_source_ref, '') is null then
    perform from outrider.endpoint_pace p
    where p.workspace_id = p_workspace_id and p.endpoint_id = p_endpoint_id
    for no key update;
  end if;
  return v_endpoint;
end;
$$;
