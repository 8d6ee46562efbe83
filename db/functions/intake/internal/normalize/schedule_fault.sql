-- Checks the time that a post is scheduled for: an ISO 8601 time with an offset, in the years 1970 to 2200, that
-- PostgreSQL can read. It is checked by arithmetic, because a cast would raise.
--
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.schedule_fault(p_time text)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_part integer[] := regexp_match(p_time,
    '^([0-9]{4})-([01][0-9])-([0-3][0-9])[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9])?)$')::integer[];
  v_days integer;
begin
  if v_part is null then
    return format('scheduled_for %s is not an ISO 8601 time with an offset, such as 2026-03-02T10:00:00Z', outrider.excerpt(p_time));
  elsif v_part[1] not between 1970 and 2200 then
    return format('scheduled_for %s is not in the years 1970 to 2200', outrider.excerpt(p_time));
  end if;
  v_days := case
    when v_part[2] in (4, 6, 9, 11) then 30
    when v_part[2] <> 2 then 31
    when v_part[1] % 4 = 0 and (v_part[1] % 100 <> 0 or v_part[1] % 400 = 0) then 29
    else 28
  end;
  if v_part[2] not between 1 and 12 or v_part[3] not between 1 and v_days then
    return format('scheduled_for %s is on a day that does not exist', outrider.excerpt(p_time));
  end if;
  return null;
end;
$$;
