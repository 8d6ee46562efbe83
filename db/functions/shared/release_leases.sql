-- Subtracts ended sends from their leases, and deletes the leases that have none left. The three arrays run in
-- parallel: p_counts[i] sends have ended in channel p_channels[i] under the token p_tokens[i].
--
-- Concurrency: leases are locked in order of (channel_id, claim_token), and a locked lease is read as the last commit
-- left it. A lateral subquery looks each lease up by its key: the table is often empty when its statistics are taken,
-- and they would lead a join astray.
create or replace function outrider.release_leases(p_workspace_id text, p_channels text[], p_tokens uuid[], p_counts bigint[])
  returns void
  language plpgsql
  volatile
as $$
declare
  v_over tid[];
  v_open tid[];
  v_left integer[];
begin
  select
    array_agg(held.tid) filter (where held.open_count = s.ended),
    array_agg(held.tid) filter (where held.open_count <> s.ended),
    array_agg(held.open_count - s.ended) filter (where held.open_count <> s.ended)
  into v_over, v_open, v_left
  from (
    select o.channel_id, o.claim_token, sum(o.ended)::integer as ended
    from unnest(p_channels, p_tokens, p_counts) as o (channel_id, claim_token, ended)
    group by o.channel_id, o.claim_token
    order by o.channel_id, o.claim_token
  ) s
  cross join lateral (
    select h.ctid as tid, h.open_count from outrider.leases h
    where h.workspace_id = p_workspace_id and h.channel_id = s.channel_id and h.claim_token = s.claim_token
    for no key update
  ) held;

  if v_over is not null then
    delete from outrider.leases l where l.ctid = any (v_over);
  end if;
  if v_open is not null then
    update outrider.leases l set open_count = o.left_open
    from unnest(v_open, v_left) as o (tid, left_open)
    where l.ctid = o.tid;
  end if;
end;
$$;
