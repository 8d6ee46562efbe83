-- A warning if a pull source cannot be read because of the credential that it names: it is not configured, or it is of
-- another platform than the kind needs. Null otherwise. What the document lists is configured after the sources.
create or replace function outrider.source_credential_warning(p_document jsonb, p_source_id text)
  returns text
  language sql
  stable
as $$
  select case
    when c.platform is null then format('no credential %s is configured, so it cannot be read', outrider.excerpt(c.auth_ref))
    when s.kind = 'vk_wall' and c.platform <> 'vk' then format(
      'credential %s is of %s, and vk_wall needs one of vk, so it cannot be read', outrider.excerpt(c.auth_ref), c.platform)
  end
  from outrider.pull_sources s
  left join outrider.credential_bindings b
    on b.workspace_id = s.workspace_id and b.auth_ref = s.config_json ->> 'auth_ref'
  cross join lateral (
    select s.config_json ->> 'auth_ref' as auth_ref,
      coalesce(p_document #>> array['credentials', s.config_json ->> 'auth_ref', 'platform'], b.platform) as platform
  ) c
  where s.workspace_id = p_document ->> 'workspace' and s.source_id = p_source_id and c.auth_ref is not null;
$$;
