-- Whether an error says that its platform may be ill: it could not be reached, gave no usable answer, or answered that
-- it had failed. An error of channel scope says nothing about the platform. p_error is a complete_error.
create or replace function outrider.is_illness(p_error jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
return p_error ->> 'category' = 'TRANSIENT' and p_error ->> 'scope' <> 'channel'
    and coalesce(p_error ->> 'cause' = 'outage', false);
