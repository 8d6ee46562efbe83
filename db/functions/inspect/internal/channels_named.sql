-- The channels of a workspace that p_names name: ids, in which * stands for any characters and ? for one. Null names
-- all of them.
--
-- Returns: their ids, in the order of channels_of.
-- Raises: OR001, OR002 when a name without * and ? names no channel.
create or replace function outrider.channels_named(
  p_function text,
  p_workspace_id text,
  p_names text[],
  p_now timestamptz
)
  returns text[]
  language plpgsql
  stable
as $$
declare
  v_all constant text[] := outrider.channels_of(p_workspace_id);
  v_patterns text[];
  v_unknown text;
begin
  if p_names is null then
    perform outrider.require_time(p_function, p_now);
    return v_all;
  end if;
  perform outrider.require_names(p_function, 'channel_ids', p_names, p_now);
  v_patterns := array(
    select translate(regexp_replace(x.name, '([\\%_])', '\\\1', 'g'), '*?', '%_')
    from unnest(p_names) with ordinality as x (name, n) order by x.n);

  select n.name into v_unknown from unnest(p_names) as n (name)
  where n.name !~ '[*?]' and not n.name = any (v_all) limit 1;
  if found then
    raise exception using errcode = 'OR002',
      message = format('%s: workspace "%s" has no channel %s', p_function, p_workspace_id, outrider.excerpt(v_unknown));
  end if;
  return array(
    select c.id from unnest(v_all) with ordinality as c (id, n)
    where c.id = any (p_names) or c.id like any (v_patterns)
    order by c.n);
end;
$$;
