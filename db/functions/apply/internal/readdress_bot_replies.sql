-- Lets answers that wait go out with the credential that their endpoint names now, in the rate group of that credential.
--
-- Concurrency: comes after the rate groups were locked, as in a commit of answers.
create or replace function outrider.readdress_bot_replies(p_workspace_id text)
  returns void
  language plpgsql
  volatile
as $$
begin
  update outrider.bot_outbox o
  set auth_ref = e.auth_ref, rate_group = e.rate_group
  from (
    select x.endpoint_id, x.auth_ref, outrider.credential_group(p_workspace_id, x.auth_ref) as rate_group
    from outrider.workspace_endpoints x
    where x.workspace_id = p_workspace_id and x.auth_ref is not null
  ) e
  where o.workspace_id = p_workspace_id and o.endpoint_id = e.endpoint_id and o.status = 'waiting'
    and (o.auth_ref, o.rate_group) <> (e.auth_ref, e.rate_group);
end;
$$;
