-- Checks that a pull source exists and is enabled, and keeps it from being removed until the transaction ends.
--
-- Raises: OR001, OR002, OR003.
create or replace function outrider.require_pull_source(p_function text, p_workspace_id text, p_source_id text)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_enabled boolean;
begin
  perform outrider.require_text(p_function, 'source_id', p_source_id, 200);
  select s.enabled into v_enabled from outrider.pull_sources s
  where s.workspace_id = p_workspace_id and s.source_id = p_source_id
  for key share;
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
