-- The render_meta of a new delivery: that of its post, with what it is nearly the same as, if it was suppressed for that;
-- empty for a repeat.
create or replace function outrider.meta_to_keep(p_render_meta jsonb, p_twin uuid, p_score numeric, p_signs text[])
  returns jsonb
  language sql
  stable
  parallel safe
return case
    when p_twin is null then p_render_meta
    when p_score is null then '{}'
    else p_render_meta || jsonb_build_object(
      'similar', jsonb_build_object('delivery_id', p_twin, 'score', p_score, 'signs', p_signs))
  end;
