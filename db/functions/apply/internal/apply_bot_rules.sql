-- Brings the rules of a workspace's bot to what a document says. Changed fields make the next version, which is enabled
-- instead of the one before, because a version never changes. Pruning disables a rule: the record names its versions.
--
-- Warnings are rules that can never match, that hand chats over when nobody is told, that show what nothing collects, that
-- lead to a state without rules, or whose buttons no rule matches. Of rules that the document does not list only those are
-- named that can never match: its own rules may come before them.
-- Rules with more than 6000 keywords in all are not compared with one another; a warning of the first one says so. More
-- than 10000 keywords are refused, before any rule is written if the document has them.
-- Concurrency: applies of one workspace run one after the other.
create or replace function outrider.apply_bot_rules(p_document jsonb, p_prune boolean, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_known constant text[] := (select k.fields from outrider.configuration_kinds() k where k.kind = 'bot_rule');
  v_id text;
  v_fields jsonb;
  v_current outrider.bot_rules;
  v_changes jsonb[]; -- until all rules are there: only then it can be said which can never match
  v_warnings text[];
  v_kept jsonb[];
  v_keywords bigint := (
    select coalesce(sum(jsonb_array_length(b.value #> '{pattern,keywords}')), 0) from jsonb_each(p_document -> 'bot_rules') b
    where jsonb_typeof(b.value #> '{pattern,keywords}') = 'array' and coalesce(b.value -> 'enabled' <> 'false', true));
begin
  if outrider.too_many_bot_keywords(v_keywords) is not null then
    return next outrider.refused_change('bot_rule', '', 'bot_rules: ' || outrider.too_many_bot_keywords(v_keywords));
    return;
  end if;
  for v_current in
    select distinct on (r.rule_id) r.* from outrider.bot_rules r
    where r.workspace_id = v_workspace_id and not coalesce(p_document -> 'bot_rules' ? r.rule_id, false)
    order by r.rule_id, r.enabled desc, r.version desc
  loop
    if p_prune and p_document ? 'bot_rules' and v_current.enabled then
      update outrider.bot_rules r set enabled = false
      where r.workspace_id = v_workspace_id and r.rule_id = v_current.rule_id and r.enabled;
      return next outrider.configuration_change('bot_rule', v_current.rule_id, 'remove', null, 'disabled: its versions stay');
    else
      v_kept := v_kept || outrider.unlisted('bot_rule', v_current.rule_id, p_document, p_prune, 'it is disabled');
    end if;
  end loop;

  for v_id, v_fields in select b.key, b.value from jsonb_each(p_document -> 'bot_rules') b order by b.key loop
    select r.* into v_current from outrider.bot_rules r
    where r.workspace_id = v_workspace_id and r.rule_id = v_id
    order by r.enabled desc, r.version desc
    limit 1;
    v_changes := v_changes || outrider.apply_bot_rule(v_workspace_id, v_id, v_fields, v_known, v_current, p_now);
    v_warnings := v_warnings || outrider.disabled_warning(to_jsonb(v_current), v_fields);
  end loop;
  select coalesce(sum(jsonb_array_length(r.pattern -> 'keywords')), 0) into v_keywords from outrider.bot_rules r
  where r.workspace_id = v_workspace_id and r.enabled;
  if outrider.too_many_bot_keywords(v_keywords) is not null then
    return next outrider.refused_change('bot_rule', '', 'bot_rules: ' || outrider.too_many_bot_keywords(v_keywords));
    return;
  end if;
  return query
  select outrider.with_warnings(k.change,
    case when p_document ? 'bot_rules' then outrider.unmatchable_bot_rule(v_workspace_id, k.change ->> 'id', v_keywords <= 6000) end)
  from unnest(v_kept) as k (change);
  return query
  select case when c.change ->> 'action' = 'refuse' then c.change
    else outrider.with_warnings(c.change, c.warning, outrider.unmatchable_bot_rule(v_workspace_id, c.change ->> 'id', v_keywords <= 6000),
      case when v_keywords > 6000 and c.n = 1
        then 'whether another rule always comes first was not looked for: the rules have more than 6000 keywords' end,
      outrider.unheard_handover(v_workspace_id, c.change ->> 'id'), outrider.uncollected_names(v_workspace_id, c.change ->> 'id'),
      outrider.unanswered_state(v_workspace_id, c.change ->> 'id'), outrider.unmatched_buttons(v_workspace_id, c.change ->> 'id')) end
  from unnest(v_changes, v_warnings) with ordinality as c (change, warning, n);
end;
$$;
