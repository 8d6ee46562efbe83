-- Everything that a document configures, one row for each thing: its kind; its id as people see it; its name, which is
-- only the last part of a rate group's id; its platform, if it names one; and its fields under the names of their
-- columns.
create or replace function outrider.configured_things(p_document jsonb)
  returns table (kind text, id text, name text, platform text, fields jsonb)
  language sql
  immutable
as $$
  select 'workspace', p_document ->> 'workspace', p_document ->> 'workspace', null,
    (select coalesce(jsonb_object_agg(d.key, d.value), '{}') from jsonb_each(p_document) d where d.key in ('name', 'status'))
  union all
  select 'settings', p_document ->> 'workspace', p_document ->> 'workspace', null, coalesce(p_document -> 'settings', '{}')
  union all
  select s.kind, e.key, e.key, e.value ->> 'platform',
    case when s.kind = 'pull_source' and e.value ? 'config'
      then e.value - 'config' || jsonb_build_object('config_json', e.value -> 'config') else e.value end
  from (
    values ('endpoint', 'endpoints'), ('credential', 'credentials'), ('template', 'templates'), ('channel', 'channels'),
      ('pull_source', 'pull_sources'), ('alert_target', 'alert_targets'),
      ('bot_rule', 'bot_rules')
  ) as s (kind, section)
  cross join lateral jsonb_each(p_document -> s.section) as e
  union all
  select 'rate_group', p.key || '/' || g.key, g.key, p.key, g.value
  from jsonb_each(p_document -> 'rate_groups') as p
  cross join lateral jsonb_each(p.value) as g;
$$;
