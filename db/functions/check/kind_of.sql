-- The kind of a JSON value, in words.
create or replace function outrider.kind_of(p_value jsonb)
  returns text
  language sql
  immutable
  parallel safe
return case jsonb_typeof(p_value)
  when 'object' then 'an object'
  when 'array' then 'an array'
  when 'null' then 'null'
  else 'a ' || jsonb_typeof(p_value)
end;
