-- Checks that a pull source exists and is enabled.
--
-- Raises: OR001, OR002, OR003.
create or replace function outrider.require_pull_source(p_function text, p_workspace_id text, p_source_id text)
  returns void
  language plpgsql
  stable
as $$
declare
  v_enabled boolean;
begin
  if p_source_id is null or length(p_source_id) not between 1 and 200 then
    raise exception using errcode = 'OR001',
      message = format('%s: source_id has %s characters; 1 to 200 are allowed', p_function, coalesce(length(p_source_id), 0));
  end if;
  select s.enabled into v_enabled from outrider.pull_sources s
  where s.workspace_id = p_workspace_id and s.source_id = p_source_id;
  if not found then
    raise exception using errcode = 'OR002',
      message = format('%s: workspace "%s" has no pull source "%s"', p_function, p_workspace_id, p_source_id);
  end if;
  if not v_enabled then
    raise exception using errcode = 'OR003',
      message = format('%s: pull source "%s" is disabled', p_function, p_source_id);
  end if;
end;
$$;
