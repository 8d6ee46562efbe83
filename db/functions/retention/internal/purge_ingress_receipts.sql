-- A step of purge_expired: receipts of requests whose time is over.
--
-- Concurrency: those that are locked are passed over.
create or replace function outrider.purge_ingress_receipts(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
begin
  if p_dry_run then
    return query
    select 'ingress_receipts', r.workspace_id, count(*), false, null::text
    from outrider.ingress_receipts r
    where r.expires_at <= p_now
    group by r.workspace_id;
    return;
  end if;

  return query
  with gone as (
    delete from outrider.ingress_receipts r
    using (
      select x.workspace_id, x.receipt_id from outrider.ingress_receipts x
      where x.expires_at <= p_now
      order by x.expires_at
      limit p_limit
      for update skip locked
    ) old
    where r.workspace_id = old.workspace_id and r.receipt_id = old.receipt_id
    returning r.workspace_id
  )
  select 'ingress_receipts', g.workspace_id, count(*), sum(count(*)) over () >= p_limit, null::text
  from gone g
  group by g.workspace_id;
end;
$$;
