-- The hash by which a request without a source_ref is known again. Neither its trace nor its workspace counts as
-- content: a trace differs each time, and a workspace is only a hint.
create or replace function outrider.receipt_hash(p_raw_payload jsonb)
  returns text
  language sql
  stable
  parallel safe
return encode(sha256(convert_to((p_raw_payload - 'trace_id' - 'workspace_id')::text, 'UTF8')), 'hex');
