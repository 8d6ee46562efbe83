-- A warning if a pull source cannot be read because the credential that it names is not configured; otherwise null. What
-- the document lists is configured after the sources.
create or replace function outrider.source_credential_warning(p_document jsonb, p_source_id text)
  returns text
  language sql
  stable
as $$
  select format('no credential %s is configured, so it cannot be read', outrider.excerpt(s.config_json ->> 'auth_ref'))
  from outrider.pull_sources s
  left join outrider.credential_bindings b
    on b.workspace_id = s.workspace_id and b.auth_ref = s.config_json ->> 'auth_ref'
  where s.workspace_id = p_document ->> 'workspace' and s.source_id = p_source_id
    and s.config_json ->> 'auth_ref' is not null and b.auth_ref is null
    and not coalesce(p_document -> 'credentials' ? (s.config_json ->> 'auth_ref'), false);
$$;
