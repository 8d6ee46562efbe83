-- Why a post was suppressed in a channel: the same was sent there or is on its way, or it is nearly the same as another.
--
-- p_meta: {suppressed_by, twin_status, until, score, signs} of the event dedup_suppressed.
-- p_delivery_id: the delivery that was suppressed; null where none is kept.
create or replace function outrider.explain_suppressed(
  p_workspace_id text,
  p_channel_id text,
  p_delivery_id uuid,
  p_meta jsonb
)
  returns outrider.explanation
  language plpgsql
  stable
as $$
declare
  v_sent_at timestamptz;
begin
  select x.sent_at into v_sent_at
  from (
    select d.sent_at, d.workspace_id from outrider.deliveries d where d.delivery_id = (p_meta ->> 'suppressed_by')::uuid
    offset 0 -- by the id alone, see next_steps
  ) x
  where x.workspace_id = p_workspace_id;

  return outrider.say(
    case
      when p_meta ? 'score' then 'nearly_the_same'
      when p_meta ->> 'twin_status' = 'sent' then 'repeat_of_sent'
      else 'repeat_in_flight'
    end,
    (p_meta ->> 'until')::timestamptz,
    jsonb_build_object(
      'delivery_id', p_delivery_id, 'channel_id', p_channel_id, 'twin_id', p_meta ->> 'suppressed_by',
      'twin', ' as delivery ' || (p_meta ->> 'suppressed_by'), 'sent', ' at ' || outrider.time_in_words(v_sent_at), 'score', p_meta -> 'score', 'signs', (
        select string_agg(s.sign, ' and ' order by s.n)
        from jsonb_array_elements_text(p_meta -> 'signs') with ordinality as s (sign, n))));
end;
$$;
