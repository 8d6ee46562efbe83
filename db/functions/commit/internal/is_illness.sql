-- Whether an error says that its platform may be ill: it could not be reached, gave no usable answer, or answered that
-- it had failed. Of one channel alone it says nothing.
create or replace function outrider.is_illness(p_error jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
return p_error ->> 'category' = 'TRANSIENT' and p_error ->> 'scope' <> 'channel'
    and p_error ->> 'code' ~ '^(unreachable|outcome_unknown|timeout|5\d\d)$';
