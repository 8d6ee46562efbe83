-- Takes ended sends off their leases, and ends the leases that have none left. The three arrays run in
-- parallel: so many sends of that channel under that token.
--
-- Concurrency: leases are locked in order of (channel_id, claim_token).
create or replace function outrider.release_leases(p_workspace_id text, p_channels text[], p_tokens uuid[], p_counts bigint[])
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
      select p_workspace_id as workspace_id, o.channel_id, o.claim_token, sum(o.ended) as ended
      from unnest(p_channels, p_tokens, p_counts) as o (channel_id, claim_token, ended)
      group by o.channel_id, o.claim_token
      order by o.channel_id, o.claim_token
      offset 0
    ) s
    where l.workspace_id = s.workspace_id and l.channel_id = s.channel_id and l.claim_token = s.claim_token
    returning l.ctid as tid, l.open_count
  )
  select array_agg(x.tid) into v_over from lowered x where x.open_count = 0;

  if v_over is not null then
    delete from outrider.leases l where l.ctid = any (v_over) and l.open_count = 0;
  end if;
end;
$$;
