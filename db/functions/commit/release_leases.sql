-- Takes ended sends off their leases, and ends the leases that have none left. The two arrays run in
-- parallel: one entry for each ended send.
--
-- Concurrency: leases are locked in order of (channel_id, claim_token).
create or replace function outrider.release_leases(p_workspace_id text, p_channels text[], p_tokens uuid[])
  returns void
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_over tid[];
begin
  with lowered as (
    update outrider.leases l
    set open_count = l.open_count - s.ended
    from (
      select o.channel_id, o.claim_token, count(*) as ended
      from unnest(p_channels, p_tokens) as o (channel_id, claim_token)
      group by o.channel_id, o.claim_token
      order by o.channel_id, o.claim_token
    ) s
    where l.workspace_id = p_workspace_id and l.channel_id = s.channel_id and l.claim_token = s.claim_token
    returning l.ctid as tid, l.open_count
  )
  select array_agg(x.tid) into v_over from lowered x where x.open_count = 0;

  if v_over is not null then
    delete from outrider.leases l where l.ctid = any (v_over) and l.open_count = 0;
  end if;
end;
$$;
