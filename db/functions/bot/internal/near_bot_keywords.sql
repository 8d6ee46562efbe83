-- The keywords of a workspace's enabled rules that may stand in what somebody wrote or pressed, because they have a probe in
-- common with it (probes_of_bot_rule). The number of rules hardly matters: each probe is one look into an index.
create or replace function outrider.near_bot_keywords(p_workspace_id text, p_probes text[])
  returns table (rule_id text, version integer, probe text, place integer, plain text, stemmed text)
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
begin
  return query
  select k.rule_id, k.version, k.probe, k.place::integer, k.plain, k.stemmed
  from (select distinct u.probe from unnest(p_probes) as u (probe)) p
  -- The offset keeps each look apart: before PostgreSQL 17 a list of probes may be compared with every row of the workspace.
  cross join lateral (
    select x.* from outrider.bot_keywords x where x.workspace_id = p_workspace_id and x.probe = p.probe offset 0
  ) k;
end;
$$;
