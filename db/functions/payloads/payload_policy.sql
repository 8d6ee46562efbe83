create or replace function outrider.payload_policy(p_workspace_id text)
  returns text
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('payload_policy', p_workspace_id);
  return (select s.keep_payloads from outrider.workspace_settings s where s.workspace_id = p_workspace_id);
end;
$$;

comment on function outrider.payload_policy is $doc$Which raw requests and answers a workspace has kept: errors, all or none (setting keep_payloads).

Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.payload_policy to outrider_service;
