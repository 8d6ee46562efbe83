create or replace function outrider.save_progress(
  p_workspace_id text,
  p_delivery_id uuid,
  p_claim_token uuid,
  p_parts jsonb,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_delivery('save_progress', p_workspace_id, p_delivery_id);
  perform outrider.require_parts('save_progress', p_parts);
  perform outrider.require_commit('save_progress', p_claim_token, p_now);

  update outrider.deliveries d
  set render_meta = outrider.merge_progress(d.render_meta, p_parts), outcome_unknown = false, updated_at = p_now
  where d.workspace_id = p_workspace_id and d.delivery_id = p_delivery_id
    and d.status = 'sending' and d.claim_token = p_claim_token;
  return found;
end;
$$;

comment on function outrider.save_progress is $doc$Keeps acknowledged parts of a post that takes several calls, so that a retry begins at the first
part that is still open.

p_parts is [{"item": 0, "provider_message_id": "42"}, …].
Returns: whether it was recorded; false when the claim is stale.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.save_progress to outrider_worker;
