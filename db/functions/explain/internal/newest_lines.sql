-- Title and text of the newest messages of a workspace in one line and without markup, the newest first.
create or replace function outrider.newest_lines(p_workspace_id text)
  returns table (message_id uuid, created_at timestamptz, parse_mode text, line text)
  language sql
  stable
as $$
  select m.message_id, m.created_at, m.payload ->> 'parse_mode',
    outrider.in_one_line(outrider.without_markup(
      concat_ws(' ', m.payload ->> 'title', m.payload ->> 'text'), m.payload ->> 'parse_mode'))
  from (
    select x.message_id, x.created_at, x.payload from outrider.messages x
    where x.workspace_id = p_workspace_id
    order by x.created_at desc
    limit outrider.posts_searched()
  ) m;
$$;
