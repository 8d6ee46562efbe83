-- A warning if a bot cannot answer what comes in at its endpoint; otherwise null. Credentials are applied after endpoints, so
-- those of the document count as configured.
create or replace function outrider.bot_endpoint_warning(p_workspace_id text, p_endpoint_id text, p_document jsonb)
  returns text
  language sql
  stable
as $$
  select case
    when e.auth_ref is null then 'it names no auth_ref, so nothing can be answered'
    when not coalesce(p_document -> 'credentials' ? e.auth_ref, false) and not exists (
      select from outrider.credential_bindings b where b.workspace_id = p_workspace_id and b.auth_ref = e.auth_ref
    ) then format('no credential %s is configured, so nothing can be answered', outrider.excerpt(e.auth_ref))
  end
  from outrider.workspace_endpoints e
  where e.workspace_id = p_workspace_id and e.endpoint_id = p_endpoint_id and e.kind = 'bot_webhook';
$$;
