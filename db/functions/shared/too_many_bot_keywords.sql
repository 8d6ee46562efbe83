-- Why so many keywords are too many for the enabled rules of a workspace's bot; null when they are not. A turn compares a text
-- with all of them, at worst.
create or replace function outrider.too_many_bot_keywords(p_count bigint)
  returns text
  language sql
  immutable
  parallel safe
return case when p_count > 10000
    then format('the enabled rules have %s keywords, and may have 10000 in all', p_count) end;
