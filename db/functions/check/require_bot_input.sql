-- Checks what somebody wrote or pressed: {kind, text?, payload?, sender?, provider?}. Errors call it p_name.
--
-- Returns: it, with texts that are cut. A button without a text has its payload for one.
-- Raises: OR001.
create or replace function outrider.require_bot_input(p_function text, p_name text, p_input jsonb)
  returns jsonb
  language plpgsql
  immutable
as $$
begin
  if jsonb_typeof(p_input) is distinct from 'object'
    or coalesce(p_input ->> 'kind' not in ('message', 'button', 'started'), true)
    or coalesce(jsonb_typeof(p_input -> 'text'), 'null') not in ('string', 'null')
    or coalesce(jsonb_typeof(p_input -> 'payload'), 'null') not in ('string', 'null')
    or coalesce(jsonb_typeof(p_input -> 'provider'), 'null') not in ('string', 'null')
    or coalesce(jsonb_typeof(p_input -> 'sender'), 'object') not in ('object', 'null')
  then
    raise exception using errcode = 'OR001', message = format(
      '%s: %s must be {kind: message | button | started, text?, payload?, sender?, provider?}', p_function, p_name);
  end if;
  return p_input || jsonb_build_object(
    'text', left(coalesce(p_input ->> 'text', case when p_input ->> 'kind' = 'button' then p_input ->> 'payload' end), 4096),
    'payload', left(p_input ->> 'payload', 1024));
end;
$$;
