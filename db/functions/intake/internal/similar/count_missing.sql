-- How many elements of the first list the second does not have.
create or replace function outrider.count_missing(p_these integer[], p_in integer[])
  returns integer
  language sql
  immutable
  parallel safe
begin atomic
  select count(*)::integer from (select unnest(p_these) except select unnest(p_in)) m;
end;
