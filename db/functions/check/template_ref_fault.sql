-- The fault of a channel's template_ref; null when the template exists, in the version after "@" if there is one, or
-- when the channel names no template. A constraint refuses a reference of another form.
create or replace function outrider.template_ref_fault(p_workspace_id text, p_template_ref text)
  returns text
  language sql
  stable
as $$
  select case
    when t.newest is null then format('workspace "%s" has no template "%s"', p_workspace_id, r.template_id)
    when r.version is not null and not t.has_version then
      format('template "%s" has no version %s; its newest is %s', r.template_id, r.version, t.newest)
  end
  from (
    select
      split_part(p_template_ref, '@', 1) as template_id,
      substring(p_template_ref from '@([1-9][0-9]{0,8})$')::integer as version
  ) r
  cross join lateral (
    select max(x.version) as newest, bool_or(x.version = r.version) as has_version
    from outrider.templates x
    where x.workspace_id = p_workspace_id and x.template_id = r.template_id
  ) t
  where p_template_ref is not null;
$$;
