-- What can be said about a delivery that is not there: its id tells when it was made, and so whether it may have been
-- deleted after its time.
create or replace function outrider.explain_gone(p_workspace_id text, p_delivery_id uuid, p_now timestamptz)
  returns outrider.explanation
  language plpgsql
  stable
as $$
declare
  v_retention constant interval :=
    (select s.deliveries_retention from outrider.workspace_settings s where s.workspace_id = p_workspace_id);
  v_digits constant text := replace(p_delivery_id::text, '-', '');
  v_made_at constant timestamptz :=
    case when substr(v_digits, 13, 1) = '7' then to_timestamp(('x' || left(v_digits, 12))::bit(48)::bigint / 1000.0) end;
begin
  return outrider.say(
    case when v_made_at < p_now - v_retention then 'purged' else 'unknown_delivery' end, null,
    jsonb_build_object('workspace_id', p_workspace_id, 'delivery_id', p_delivery_id,
      'made_at', outrider.time_in_words(v_made_at), 'kept', outrider.span_in_words(v_retention)));
end;
$$;
