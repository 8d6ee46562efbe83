-- A warning if the templates of a rule name something that no rule collects, and that is neither the person's name nor the
-- text: it would never be shown. Otherwise null.
create or replace function outrider.uncollected_names(p_workspace_id text, p_rule_id text)
  returns text
  language sql
  stable
as $$
  select format('no rule collects %s, so nothing is shown for it', outrider.some_names(array_agg(n.name order by n.name), 5))
  from (
    select distinct '{{' || t.tag[1] || '}}' as name
    from outrider.bot_rules r
    cross join lateral regexp_matches(
      concat_ws(' ', r.response_template, r.retry_template), '\{\{[ \t]*[#^/]?[ \t]*([a-z][a-z0-9_]*)[ \t]*\}\}', 'g') as t (tag)
    where r.workspace_id = p_workspace_id and r.rule_id = p_rule_id and r.enabled and t.tag[1] not in ('name', 'text')
      and not exists (
        select from outrider.bot_rules c where c.workspace_id = p_workspace_id and c.enabled and c.collect = t.tag[1])
  ) n
  having count(*) > 0;
$$;
