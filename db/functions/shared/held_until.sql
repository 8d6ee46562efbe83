-- Until when an item waits whose medium cannot be fetched: 1 minute after the pull that counted first, then 2, then 4. Only a
-- pull after that counts as a try; null when no item is held.
create or replace function outrider.held_until(p_cursor outrider.pull_cursors)
  returns timestamptz
  language sql
  immutable
as $$
  select p_cursor.updated_at + interval '1 minute' * power(2, least(p_cursor.held_pulls, 3) - 1) where p_cursor.held_item is not null;
$$;
