-- A JSON value as it may stand in an event: masked, and cut to its first 1000 characters when longer.
create or replace function outrider.snippet(p_value jsonb)
  returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select case when length(m.masked::text) <= 1000 then m.masked else to_jsonb(left(m.masked::text, 1000)) end
  from (select outrider.mask_json(p_value) as masked) m;
$$;
