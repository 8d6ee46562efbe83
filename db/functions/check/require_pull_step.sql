-- Checks what a chunk says about the pull that it is of.
--
-- Raises: OR001.
create or replace function outrider.require_pull_step(
  p_lease_token uuid,
  p_next_pull_at timestamptz,
  p_held_item text,
  p_lease interval
)
  returns void
  language plpgsql
  immutable
as $$
begin
  if not outrider.is_usable_time(p_next_pull_at) then
    raise exception using errcode = 'OR001', message = 'ingest_pull_chunk: next_pull_at is not in the years 1970 to 2200';
  end if;
  if p_held_item is not null and octet_length(p_held_item) not between 1 and 512 then
    raise exception using errcode = 'OR001', message = 'ingest_pull_chunk: held_item must have 1 to 512 bytes';
  end if;
  if p_held_item is not null and p_lease_token is not null and p_next_pull_at is null then
    raise exception using errcode = 'OR001', message = 'ingest_pull_chunk: held_item ends the pull, so next_pull_at is needed';
  end if;
  perform outrider.require_pull_length('ingest_pull_chunk', p_lease);
end;
$$;
