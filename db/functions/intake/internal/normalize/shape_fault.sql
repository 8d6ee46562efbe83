-- Checks the keys of an object, and tells the first that is unknown, or whose value is of another type
-- than p_types says ("any": every type is allowed). A value of null counts as absent.
--
-- p_path: where the object stands; null: it is the post itself.
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.shape_fault(p_path text, p_object jsonb, p_types jsonb)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_key text;
  v_value jsonb;
  v_type text;
begin
  if jsonb_typeof(p_object) <> 'object' then
    return format('%s must be an object, not %s', coalesce(p_path, 'a post'), outrider.kind_of(p_object));
  end if;
  select e.key, e.value, p_types ->> e.key
  into v_key, v_value, v_type
  from jsonb_each(p_object) as e
  where not p_types ? e.key or jsonb_typeof(e.value) not in ('null', p_types ->> e.key) and p_types ->> e.key <> 'any'
  limit 1;
  if not found then
    return null;
  end if;
  if v_type is null then
    return format('%s cannot have %s, only %s', coalesce(p_path, 'a post'), outrider.excerpt(v_key),
      (select string_agg(k.name, ', ' order by k.name) from jsonb_object_keys(p_types) as k (name)));
  end if;
  return format('%s must be %s, not %s', concat_ws('.', p_path, v_key),
    case when v_type ~ '^[ao]' then 'an ' else 'a ' end || v_type, outrider.kind_of(v_value));
end;
$$;
