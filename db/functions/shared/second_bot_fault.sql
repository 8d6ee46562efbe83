-- Why a workspace cannot have its bots as they are: two enabled endpoints answer on one platform with different credentials.
-- Platforms number chats and messages for each bot, so the chats of two bots would be taken for one. Null when no platform has
-- two bots; an endpoint whose credential is not configured counts as soon as it is.
create or replace function outrider.second_bot_fault(p_workspace_id text)
  returns text
  language sql
  stable
as $$
  select format('endpoint %s answers on %s with the credential %s, and endpoint %s with %s; a second bot on %s needs a workspace of its own',
    outrider.excerpt((array_agg(e.endpoint_id order by e.auth_ref, e.endpoint_id))[1]), p.title, outrider.excerpt(min(e.auth_ref)),
    outrider.excerpt((array_agg(e.endpoint_id order by e.auth_ref desc, e.endpoint_id))[1]), outrider.excerpt(max(e.auth_ref)), p.title)
  from outrider.workspace_endpoints e
  join outrider.credential_bindings b on b.workspace_id = e.workspace_id and b.auth_ref = e.auth_ref
  join outrider.platforms p on p.platform = b.platform
  where e.workspace_id = p_workspace_id and e.kind = 'bot_webhook' and e.enabled
  group by p.platform, p.title
  having count(distinct e.auth_ref) > 1
  order by p.platform
  limit 1;
$$;
