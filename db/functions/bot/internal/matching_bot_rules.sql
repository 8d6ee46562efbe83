-- The rules that match what somebody wrote or pressed, the one that answers first. The first 2,000 characters of a text count.
--
-- The rules of the state come before the general ones; then the priority decides, then how many keywords were found
-- without a typing error, then how many were found at all, then how long they are, then the id.
-- contains: a keyword stands anywhere in the text (has_bot_keyword). stem: its words stand there one after the other, in any
-- form. fuzzy: the same, and a word of five letters or more may have one typing error; only words that share a probe are compared.
-- Free input (mode any) matches whatever the text is; is_valid says whether it is what the rule asks for.
-- p_document: rules given as data, whose keywords are read once; null: the enabled rules of the workspace, whose keywords
-- were read when they were applied.
create or replace function outrider.matching_bot_rules(
  p_workspace_id text,
  p_document jsonb,
  p_input jsonb,
  p_state text
)
  returns setof outrider.bot_match
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_nestloop = off
  set jit = off
as $$
declare
  v_kind constant text := p_input ->> 'kind';
  v_text constant outrider.bot_text := outrider.read_bot_text(p_input ->> 'text');
  v_probes text[];
  v_places integer[];
begin
  select array_agg(p.probe), array_agg(p.place) into v_probes, v_places
  from outrider.probes_of_bot_text(v_text, v_kind, p_input ->> 'payload', p_state) p;

  return query
  with given as materialized (
    select r as rule from outrider.given_bot_rules(p_workspace_id, p_document) r
    where coalesce(r.from_state = p_state, true)
  ),
  near as materialized (
    select k.* from outrider.near_bot_keywords(p_workspace_id, v_probes) k where p_document is null
    union all
    select (g.rule).rule_id, (g.rule).version, k.probe, k.place, k.plain, k.stemmed
    from given g
    cross join lateral outrider.probes_of_bot_rule(g.rule) k
    where k.probe in (select p.probe from unnest(v_probes) as p (probe))
  ),
  found as materialized (
    select f.rule_id, f.version, f.place, true as exact from near f
    where f.place > 0 and case left(f.probe, 1)
      when 'c' then outrider.has_bot_keyword(v_text.plain, f.plain)
      else strpos(v_text.stemmed, f.stemmed) > 0
    end
    group by f.rule_id, f.version, f.place
  ),
  mistyped as materialized (
    select distinct f.rule_id, f.version, f.place, false as exact
    from (
      select n.rule_id, n.version, n.place, n.plain, n.stemmed, p.place as at
      from near n
      join unnest(v_probes, v_places) as p (probe, place) on p.probe = n.probe
      where left(n.probe, 1) = 'f' and not exists (
        select from found x where x.rule_id = n.rule_id and x.version = n.version and x.place = n.place)
      group by n.rule_id, n.version, n.place, n.plain, n.stemmed, p.place
    ) f
    join unnest(v_text.words, v_text.stems) with ordinality as t (word, stem, at) on t.at = f.at
    where case
      when strpos(f.plain, ' ') = 0 then outrider.fits_bot_word(t.word, t.stem, f.plain, btrim(f.stemmed))
      else outrider.fits_bot_phrase(v_text, f.at, f.plain, f.stemmed)
    end
  ),
  counted as (
    select x.rule_id, x.version, array_agg(x.place order by x.place) filter (where x.place > 0) as places,
      count(*) filter (where x.exact)::integer as exact
    from (
      select f.* from found f
      union all
      select m.* from mistyped m
      union all
      select distinct n.rule_id, n.version, 0, false from near n where n.place = 0 and n.probe <> 'n:'
    ) x
    group by x.rule_id, x.version
  ),
  matched as (
    select c.rule, c.exact + cardinality(c.pressed) as exact, c.pressed || coalesce(c.words, '{}') as found,
      v_kind <> 'started' and (c.rule).pattern ->> 'mode' = 'any' as takes_any
    from (
      select r.rule, x.exact,
        array(
          select p.payload from jsonb_array_elements_text((r.rule).pattern -> 'payloads') as p (payload)
          where p.payload = p_input ->> 'payload'
          union all
          select 'started' where v_kind = 'started' and (r.rule).pattern -> 'started' = 'true'
        ) as pressed,
        array(select (r.rule).pattern #>> array['keywords', (n.place - 1)::text] from unnest(x.places) as n (place)) as words
      from counted x
      cross join lateral (
        select b as rule from outrider.bot_rules b
        where p_document is null and b.workspace_id = p_workspace_id and b.rule_id = x.rule_id and b.version = x.version and b.enabled
          and coalesce(b.from_state = p_state, true)
        union all
        select g.rule from given g where (g.rule).rule_id = x.rule_id
      ) r
    ) c
    where not outrider.has_unwanted_word(c.rule, v_text, p_document is not null)
  ),
  decided as (
    select m.rule, m.found, case when m.found <> '{}' then m.exact end as exact,
      case when m.found = '{}' then i.input end as input, m.found <> '{}' or i.input is not null as is_valid
    from matched m
    cross join lateral (
      select case when m.takes_any and m.found = '{}'
        then outrider.valid_bot_input((m.rule).pattern ->> 'validate', p_input ->> 'text') end as input
    ) i
    where m.found <> '{}' or (m.takes_any and outrider.valid_bot_input(null, p_input ->> 'text') is not null)
  )
  select d.rule, d.found, d.exact, d.input, d.is_valid
  from decided d
  order by (d.rule).from_state is not null desc, (d.rule).priority desc, coalesce(d.exact, 0) desc, cardinality(d.found) desc,
    (select coalesce(sum(length(f.word)), 0) from unnest(d.found) as f (word)) desc, (d.rule).rule_id;
end;
$$;
