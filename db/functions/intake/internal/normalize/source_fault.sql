-- Checks the source of a post. It may be any object that is short as text and not deep.
--
-- It is turned into text last, because jsonb writes 1e99999 with a hundred thousand digits, and a small object can
-- become gigabytes of text.
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.source_fault(p_source jsonb)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
begin
  -- A jsonb takes at most four bytes for each byte of its text, and a few more.
  if pg_column_size(p_source) > 4 * 8192 + 64 then
    return 'source has more than 8192 bytes as JSON, which is the limit';
  elsif jsonb_path_exists(p_source, 'strict $.**{33}') then
    return 'source is nested more than 32 levels deep, which is the limit';
  elsif exists (
    select from jsonb_path_query(p_source, 'strict $.**{1 to 32} ? (@.type() == "number")') as n (number)
    where abs(n.number::numeric) >= 1e100 or scale(n.number::numeric) > 100
  ) then
    return 'source holds a number with more than 100 digits before or after its point, which is the limit';
  elsif octet_length(p_source::text) > 8192 then
    return format('source has %s bytes as JSON; the limit is 8192', octet_length(p_source::text));
  end if;
  return null;
end;
$$;
