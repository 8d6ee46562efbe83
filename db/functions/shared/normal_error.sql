-- An adapter's error as it is kept: the contract's fields, masked and cut to a snippet.
create or replace function outrider.normal_error(p_error jsonb)
  returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'category', p_error ->> 'category',
    'scope', p_error ->> 'scope',
    'code', left(outrider.mask_text(p_error ->> 'code'), 100),
    'retry_after_ms', p_error -> 'retry_after_ms',
    'message', left(outrider.mask_text(p_error ->> 'message'), 500),
    'raw', outrider.snippet(p_error -> 'raw')
  ));
$$;
