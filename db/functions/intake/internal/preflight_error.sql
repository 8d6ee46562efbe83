-- The error of a post that its platform would refuse, as a delivery and its event keep it; null without a fault.
--
-- In PL/pgSQL, because a function of SQL is inlined, and then set up also for posts without a fault.
create or replace function outrider.preflight_error(p_fault text)
  returns jsonb
  language plpgsql
  stable
  strict
  parallel safe
as $$
begin
  return outrider.normal_error(jsonb_build_object(
    'category', 'PERMANENT', 'scope', 'delivery', 'code', 'validation_failed', 'message', p_fault));
end;
$$;
