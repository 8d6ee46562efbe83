-- What stands between channels and another credential: for each id that is named why it cannot have it (rotation_fault), what
-- it sends with now, how many of its deliveries are being sent, and until when their leases last.
create or replace function outrider.rotation_states(
  p_workspace_id text,
  p_channel_ids text[],
  p_credential outrider.credential_bindings,
  p_rate_group text
)
  returns table (
    channel_id text, channel outrider.channels, auth_ref text, fault text, sending integer, sending_until timestamptz
  )
  language plpgsql
  stable
as $$
#variable_conflict use_column
begin
  return query
  select
    n.id, c, a.auth_ref, outrider.rotation_fault(c, a.auth_ref, p_credential, p_rate_group),
    coalesce(l.sending, 0), l.sending_until
  from (select distinct x.id collate "C" as id from unnest(p_channel_ids) as x (id)) n
  left join outrider.channels c on c.workspace_id = p_workspace_id and c.channel_id = n.id
  left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
  cross join lateral (select coalesce(r.auth_ref, c.auth_ref) as auth_ref) a
  cross join lateral (
    select sum(h.open_count)::integer as sending, max(h.lease_until) as sending_until from outrider.leases h
    where h.workspace_id = p_workspace_id and h.channel_id = n.id
  ) l
  order by n.id;
end;
$$;
