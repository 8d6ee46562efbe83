-- An error as it is kept: completed by complete_error, with only the fields of the contract, masked and cut short.
create or replace function outrider.normal_error(p_error jsonb)
  returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'category', e.error ->> 'category',
    'scope', e.error ->> 'scope',
    'code', left(outrider.mask_text(e.error ->> 'code'), 100),
    'outcome', e.error ->> 'outcome',
    'cause', e.error ->> 'cause',
    'retry_after_ms', e.error -> 'retry_after_ms',
    'message', left(outrider.mask_text(e.error ->> 'message'), 500),
    'raw', outrider.snippet(e.error -> 'raw')
  ))
  from (select outrider.complete_error(p_error) as error) e;
$$;
