-- The error of a post that its platform would refuse, as a delivery and its event keep it; null for none.
create or replace function outrider.preflight_error(p_fault text)
  returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select outrider.normal_error(jsonb_build_object(
    'category', 'PERMANENT', 'scope', 'delivery', 'code', 'validation_failed', 'message', p_fault))
  where p_fault is not null;
$$;
