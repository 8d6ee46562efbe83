-- How many of the newest messages of a workspace are searched for a piece of text.
create or replace function outrider.posts_searched()
  returns integer
  language sql
  immutable
  parallel safe
return 2000;
