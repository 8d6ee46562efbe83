-- Finds the endpoint that a post came to, for a caller that names it, and checks that it takes posts.
--
-- p_source_ref: that of the post. Without one the endpoint's pace is locked, because take_receipt requires it.
-- Raises: OR001, OR002, OR003.
create or replace function outrider.find_posting_endpoint(
  p_workspace_id text,
  p_endpoint_id text,
  p_source_ref text
)
  returns outrider.workspace_endpoints
  language plpgsql
  volatile
as $$
declare
  v_endpoint outrider.workspace_endpoints;
begin
  if length(p_endpoint_id) not between 1 and 64 then
    raise exception using errcode = 'OR001',
      message = format('enqueue_messages_and_deliveries: endpoint_id has %s characters; 1 to 64 are allowed', length(p_endpoint_id));
  end if;
  select e.* into v_endpoint from outrider.workspace_endpoints e
  where e.workspace_id = p_workspace_id and e.endpoint_id = p_endpoint_id;
  if not found then
    raise exception using errcode = 'OR002',
      message = format('enqueue_messages_and_deliveries: workspace "%s" has no endpoint "%s"', p_workspace_id, p_endpoint_id);
  end if;
  if not v_endpoint.enabled or v_endpoint.kind <> 'webhook_push' then
    raise exception using errcode = 'OR003',
      message = format('enqueue_messages_and_deliveries: endpoint "%s" takes no posts: it is %s', p_endpoint_id,
        case when v_endpoint.enabled then 'a ' || v_endpoint.kind else 'disabled' end);
  end if;
  if nullif(p_source_ref, '') is null then
    perform from outrider.endpoint_pace p
    where p.workspace_id = p_workspace_id and p.endpoint_id = p_endpoint_id
    for no key update;
  end if;
  return v_endpoint;
end;
$$;
