-- Whether Telegram accepts an address after ![words]: tg://emoji?id=… with a number of 64 bits that is not
-- zero, or tg://time?unix=… with a positive number of 32 bits and, if it has a format, one that Telegram knows.
create or replace function outrider.is_emoji_or_time(p_url text)
  returns boolean
  language sql
  immutable
  parallel safe
begin atomic
  with parameters as (
    select
      split_part(p.parameter, '=', 1) as name,
      substr(p.parameter, nullif(strpos(p.parameter, '='), 0) + 1) as value,
      p.place
    from string_to_table(split_part(substr(p_url, strpos(p_url, '?') + 1), '#', 1), '&')
      with ordinality as p (parameter, place)
  )
  select coalesce(case
    when p_url ~* '^tg:(//)?emoji/?\?' then (
      -- the first id counts
      select case when p.value ~ '^-?[1-9][0-9]{0,18}$' then
        p.value::numeric between -9223372036854775808 and 9223372036854775807
      end
      from parameters p
      where p.name = 'id'
      order by p.place
      limit 1
    )
    when p_url ~* '^tg:(//)?time/?\?' then (
      -- every unix has to be right, and the last format counts
      select
        bool_and(case when p.value ~ '^[1-9][0-9]{0,9}$' then p.value::bigint <= 2147483647 else false end)
          filter (where p.name = 'unix')
        and coalesce((array_agg(p.value order by p.place desc) filter (where p.name = 'format'))[1], '')
          ~ '^(?:[rR]|[tTdDwW]*)$'
      from parameters p
    )
  end, false);
end;
