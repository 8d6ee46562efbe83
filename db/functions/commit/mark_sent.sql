create or replace function outrider.mark_sent(
  p_workspace_id text,
  p_delivery_id uuid,
  p_provider_message_id text,
  p_sent_at timestamptz,
  p_raw_meta jsonb,
  p_claim_token uuid,
  p_now timestamptz default clock_timestamp()
)
  returns table (delivery_id uuid, became outrider.delivery_status, next_retry_at timestamptz, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_delivery('mark_sent', p_workspace_id, p_delivery_id);
  perform outrider.require_commit('mark_sent', p_claim_token, p_now);
  if coalesce(octet_length(p_provider_message_id), 0) not between 1 and 512 then
    raise exception using errcode = 'OR001',
      message = format('mark_sent: provider_message_id has %s bytes; 1 to 512 are allowed', coalesce(octet_length(p_provider_message_id), 0));
  end if;
  if not outrider.is_usable_time(p_sent_at) then
    raise exception using errcode = 'OR001', message = 'mark_sent: sent_at is not in the years 1970 to 2200';
  end if;
  if octet_length(p_raw_meta::text) > 65536 then
    raise exception using errcode = 'OR001', message = 'mark_sent: raw_meta is larger than 64 KiB';
  end if;
  return query
  select * from outrider.commit_outcomes(
    p_workspace_id,
    jsonb_build_array(jsonb_build_object(
      'delivery_id', p_delivery_id, 'claim_token', p_claim_token, 'ok', true,
      'provider_message_id', p_provider_message_id, 'sent_at', p_sent_at, 'meta', p_raw_meta
    )),
    p_now
  );
end;
$$;

comment on function outrider.mark_sent is $doc$Records that one delivery was sent: commit_outcomes for one row.

Returns: what became of it; `became` is null and `note` says why when the commit was stale.
Raises: OR001, OR002 (also for an unknown delivery), OR003.$doc$;

grant execute on function outrider.mark_sent to outrider_worker;
