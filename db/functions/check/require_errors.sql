-- Checks the errors of failed sends against the adapter contract.
--
-- Raises: OR001, naming the first delivery at fault.
create or replace function outrider.require_errors(p_function text, p_failures jsonb)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_fault record;
begin
  select f.delivery_id, f.error into v_fault
  from jsonb_to_recordset(p_failures) as f (delivery_id text, error jsonb)
  where not coalesce(
      jsonb_typeof(f.error) = 'object'
      and f.error ->> 'category' in ('TRANSIENT', 'PERMANENT')
      and f.error ->> 'scope' in ('delivery', 'channel', 'platform')
      and jsonb_typeof(f.error -> 'code') = 'string'
      and coalesce(f.error ->> 'outcome', 'refused') in ('refused', 'not_sent', 'unknown')
      and coalesce(f.error ->> 'cause', 'pace') in ('pace', 'credential', 'outage', 'not_ready', 'sender')
      and coalesce(jsonb_typeof(f.error -> 'retry_after_ms'), 'null') in ('number', 'null')
      and coalesce((f.error ->> 'retry_after_ms')::numeric between 0 and 2592000000, true)
      and octet_length(f.error::text) <= 65536,
      false
    )
  limit 1;

  if found then
    raise exception using errcode = 'OR001',
      message = format(
        '%s: the error of delivery %s is not {category: TRANSIENT|PERMANENT, scope: delivery|channel|platform, code, outcome?: refused|not_sent|unknown, cause?: pace|credential|outage|not_ready|sender, retry_after_ms?, message?, raw?} within 64 KiB',
        p_function, left(coalesce(v_fault.delivery_id, '?'), 64));
  end if;
end;
$$;
