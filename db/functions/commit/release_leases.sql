-- Takes ended sends off their leases, and ends the leases that have none left. The three arrays run in
-- parallel: so many sends of that channel under that token.
--
-- Concurrency: leases are locked in order of (channel_id, claim_token), in a statement of its own, so that
-- the next one sees what another commit left. Each is looked up by its key in a lateral: the table is so
-- often empty that no plan of a join can be trusted.
create or replace function outrider.release_leases(p_workspace_id text, p_channels text[], p_tokens uuid[], p_counts bigint[])
  returns void
  language plpgsql
  volatile
as $$
declare
  v_over tid[];
begin
  perform
  from (
    select distinct o.channel_id, o.claim_token from unnest(p_channels, p_tokens) as o (channel_id, claim_token)
    order by o.channel_id, o.claim_token
  ) s
  cross join lateral (
    select from outrider.leases h
    where h.workspace_id = p_workspace_id and h.channel_id = s.channel_id and h.claim_token = s.claim_token
    for no key update
  ) held;

  with lowered as (
    update outrider.leases l
    set open_count = l.open_count - s.ended
    from (
      select o.channel_id, o.claim_token, sum(o.ended) as ended
      from unnest(p_channels, p_tokens, p_counts) as o (channel_id, claim_token, ended)
      group by o.channel_id, o.claim_token
    ) s
    cross join lateral (
      select h.ctid as tid from outrider.leases h
      where h.workspace_id = p_workspace_id and h.channel_id = s.channel_id and h.claim_token = s.claim_token
      offset 0
    ) held
    where l.ctid = held.tid
    returning l.ctid as tid, l.open_count
  )
  select array_agg(x.tid) into v_over from lowered x where x.open_count = 0;

  if v_over is not null then
    delete from outrider.leases l where l.ctid = any (v_over);
  end if;
end;
$$;
