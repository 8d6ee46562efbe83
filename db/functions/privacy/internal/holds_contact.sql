-- Whether a contact stands in a JSON value.
create or replace function outrider.holds_contact(p_value jsonb, p_pattern outrider.contact_pattern)
  returns boolean
  language sql
  immutable
  parallel safe
return p_value::text ~* (p_pattern).rough and outrider.erase_json(p_value, p_pattern) <> p_value;
