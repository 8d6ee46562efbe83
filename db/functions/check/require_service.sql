-- Checks what a process says about itself.
--
-- Raises: OR001.
create or replace function outrider.require_service(
  p_function text,
  p_service_id uuid,
  p_host text,
  p_pid bigint,
  p_version text,
  p_roles text[]
)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_service_id is null then
    raise exception using errcode = 'OR001', message = format('%s: service_id is missing', p_function);
  end if;
  perform outrider.require_text(p_function, 'host', p_host, 255);
  if p_pid is null or p_pid < 0 then
    raise exception using errcode = 'OR001', message = format('%s: pid is missing or negative', p_function);
  end if;
  perform outrider.require_text(p_function, 'version', p_version, 100);
  if p_roles is null or array_ndims(p_roles) is distinct from 1 or cardinality(p_roles) > 100
    or exists (select from unnest(p_roles) as x (role) where coalesce(length(x.role), 0) not between 1 and 64)
  then
    raise exception using errcode = 'OR001',
      message = format('%s: roles must hold 1 to 100 names of 1 to 64 characters', p_function);
  end if;
end;
$$;
