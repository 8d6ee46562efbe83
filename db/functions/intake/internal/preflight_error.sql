-- The error of a post that its platform would refuse, as a delivery and its event keep it; null without a fault.
create or replace function outrider.preflight_error(p_fault text)
  returns jsonb
  language sql
  stable
  parallel safe
return case when p_fault is not null then outrider.normal_error(jsonb_build_object(
    'category', 'PERMANENT', 'scope', 'delivery', 'code', 'validation_failed', 'message', p_fault)) end;
