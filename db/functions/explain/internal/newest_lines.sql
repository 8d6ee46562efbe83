-- Title and text of the newest messages of a workspace in one line and without markup, the newest first.
--
-- p_letters: what has to be in the line, as in_one_line writes it. A plain text that lacks some of it is left out before it
-- is brought into one line, which takes ten times longer than the look; other lines may lack it.
create or replace function outrider.newest_lines(p_workspace_id text, p_letters text[])
  returns table (message_id uuid, created_at timestamptz, parse_mode text, line text)
  language sql
  stable
as $$
  select m.message_id, m.created_at, t.parse_mode, l.line
  from (
    select x.message_id, x.created_at, x.payload from outrider.messages x
    where x.workspace_id = p_workspace_id
    order by x.created_at desc
    limit outrider.posts_searched()
  ) m
  cross join lateral (
    -- All fields at once: each look into a long payload unpacks it.
    select p.parse_mode, concat_ws(' ', p.title, p.text) as text
    from jsonb_to_record(m.payload) as p (title text, text text, parse_mode text)
    offset 0
  ) t
  cross join lateral (select case when t.parse_mode is null then lower(t.text) end as text offset 0) plain
  cross join lateral (
    select outrider.in_one_line(outrider.without_markup(t.text, t.parse_mode)) as line
    -- What in_one_line writes differently is looked for in the line alone.
    where not exists (
      select from unnest(p_letters) w where w !~ '[ е"''-]' and position(w in plain.text) = 0)
    offset 0
  ) l;
$$;
