create or replace function outrider.keep_payload(
  p_workspace_id text,
  p_payload_ref text,
  p_kind outrider.payload_kind,
  p_object_url text,
  p_key_id text,
  p_size_bytes bigint,
  p_delivery_id uuid,
  p_message_id uuid,
  p_run_id text,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_retention interval;
begin
  perform outrider.require_workspace('keep_payload', p_workspace_id);
  perform outrider.require_time('keep_payload', p_now);
  if coalesce(p_payload_ref !~ '^[A-Za-z0-9-]{1,64}$', true) then
    raise exception using errcode = 'OR001',
      message = 'keep_payload: payload_ref must be 1 to 64 letters of a to z, digits and hyphens';
  end if;
  perform outrider.require_text('keep_payload', 'object_url', p_object_url, 2048);
  perform outrider.require_text('keep_payload', 'key_id', p_key_id, 64);
  if p_kind is null or (p_kind = 'answer') <> (p_delivery_id is not null) then
    raise exception using errcode = 'OR001',
      message = 'keep_payload: kind is request, or answer with the delivery_id that it was given to';
  end if;
  if coalesce(p_size_bytes < 0, true) then
    raise exception using errcode = 'OR001', message = 'keep_payload: size_bytes must be 0 or more';
  end if;
  if p_run_id is not null then
    perform outrider.require_text('keep_payload', 'run_id', p_run_id, 200);
  end if;
  if not exists (select from outrider.deliveries d where d.workspace_id = p_workspace_id and d.delivery_id = p_delivery_id)
      and p_delivery_id is not null
    or not exists (select from outrider.messages m where m.workspace_id = p_workspace_id and m.message_id = p_message_id)
      and p_message_id is not null
  then
    return false;
  end if;
  select s.payload_ref_retention into v_retention from outrider.workspace_settings s where s.workspace_id = p_workspace_id;

  insert into outrider.raw_payloads
    (workspace_id, payload_ref, kind, object_url, key_id, size_bytes, delivery_id, message_id, created_at, expires_at)
  values
    (p_workspace_id, p_payload_ref, p_kind, p_object_url, p_key_id, p_size_bytes, p_delivery_id, p_message_id,
     p_now, p_now + v_retention);
  if p_kind = 'request' then
    insert into outrider.event_log (workspace_id, id, message_id, ts, action, attempt, result, payload_ref, meta)
    values (
      p_workspace_id, gen_random_uuid(), p_message_id, p_now, 'payload_kept', 0, 'ok', p_payload_ref,
      outrider.mask_json(jsonb_strip_nulls(jsonb_build_object('run_id', p_run_id))));
  end if;
  return true;
end;
$$;

comment on function outrider.keep_payload is $doc$Records that the object store holds a raw payload, encrypted, until payload_ref_retention is over.

An answer is that of a platform to the delivery p_delivery_id; the commit of its outcome carries p_payload_ref into its
event. A request has an event of its own, payload_kept, with the message that it became, if it did, and with the run
(p_run_id) that its refusal is recorded under.
Returns: whether it is kept; it is not when the workspace has no such delivery or message.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.keep_payload to outrider_service;
