-- Checks that the caller may act for the workspace, and that the workspace has the delivery.
--
-- Raises: OR001, OR002, OR003.
create or replace function outrider.require_delivery(p_function text, p_workspace_id text, p_delivery_id uuid)
  returns void
  language plpgsql
  stable
as $$
begin
  perform outrider.require_workspace(p_function, p_workspace_id);
  if p_delivery_id is null then
    raise exception using errcode = 'OR001', message = format('%s: delivery_id is missing', p_function);
  end if;
  if not exists (
    select from outrider.deliveries d where d.workspace_id = p_workspace_id and d.delivery_id = p_delivery_id
  ) then
    raise exception using errcode = 'OR002',
      message = format('%s: workspace "%s" has no delivery %s', p_function, p_workspace_id, p_delivery_id);
  end if;
end;
$$;
