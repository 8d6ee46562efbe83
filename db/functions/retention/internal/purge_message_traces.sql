-- A step of purge_expired: traces of messages that no channel looks back to any more.
--
-- Concurrency: those that are locked are passed over.
create or replace function outrider.purge_message_traces(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
begin
  if p_dry_run then
    return query
    select 'message_traces', t.workspace_id, count(*), false, null::text
    from outrider.message_traces t
    where t.expires_at <= p_now
    group by t.workspace_id;
    return;
  end if;

  return query
  with gone as (
    delete from outrider.message_traces t
    using (
      select x.workspace_id, x.message_id from outrider.message_traces x
      where x.expires_at <= p_now
      order by x.expires_at
      limit p_limit
      for update skip locked
    ) old
    where t.workspace_id = old.workspace_id and t.message_id = old.message_id
    returning t.workspace_id
  )
  select 'message_traces', g.workspace_id, count(*), sum(count(*)) over () >= p_limit, null::text
  from gone g
  group by g.workspace_id;
end;
$$;
