-- The endpoint that a caller names, which must take posts.
--
-- Raises: OR001, OR002, OR003, in the name of p_function.
create or replace function outrider.posting_endpoint(p_function text, p_workspace_id text, p_endpoint_id text)
  returns outrider.workspace_endpoints
  language plpgsql
  stable
as $$
declare
  v_endpoint outrider.workspace_endpoints;
begin
  if length(p_endpoint_id) not between 1 and 64 then
    raise exception using errcode = 'OR001',
      message = format('%s: endpoint_id has %s characters; 1 to 64 are allowed', p_function, length(p_endpoint_id));
  end if;
  select e.* into v_endpoint from outrider.workspace_endpoints e
  where e.workspace_id = p_workspace_id and e.endpoint_id = p_endpoint_id;
  if not found then
    raise exception using errcode = 'OR002',
      message = format('%s: workspace "%s" has no endpoint "%s"', p_function, p_workspace_id, p_endpoint_id);
  end if;
  if not v_endpoint.enabled or v_endpoint.kind <> 'webhook_push' then
    raise exception using errcode = 'OR003',
      message = format('%s: endpoint "%s" takes no posts: it is %s', p_function, p_endpoint_id,
        case when v_endpoint.enabled then 'a ' || v_endpoint.kind else 'disabled' end);
  end if;
  return v_endpoint;
end;
$$;
