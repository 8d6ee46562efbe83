create or replace function outrider.list_silences(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (matches text, until timestamptz, operator text, reason text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('list_silences', p_workspace_id);
  perform outrider.require_time('list_silences', p_now);

  return query
  select s.matches, s.until, s.operator, s.reason from outrider.alert_silences s
  where s.workspace_id = p_workspace_id and s.until > p_now
  order by s.until, s.matches;
end;
$$;

comment on function outrider.list_silences is $doc$The alerts of a workspace that nobody is told of: which, until when, and who ordered it.

Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_silences to outrider_reader;
