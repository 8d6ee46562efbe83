-- The template that a channel names: `id` is its latest version, `id@version` that one.
--
-- Returns: body and defaults, and `id@version` for the delivery to keep; or a fault when it does not exist.
create or replace function outrider.find_template(
  p_workspace_id text,
  p_template_ref text,
  out body text,
  out defaults jsonb,
  out version_ref text,
  out fault text
)
  language plpgsql
  stable
  parallel safe
as $$
declare
  v_id constant text := split_part(p_template_ref, '@', 1);
  v_version constant integer := nullif(split_part(p_template_ref, '@', 2), '')::integer;
begin
  select t.body, t.defaults, t.template_id || '@' || t.version into body, defaults, version_ref
  from outrider.templates t
  where t.workspace_id = p_workspace_id and t.template_id = v_id and (v_version is null or t.version = v_version)
  order by t.version desc
  limit 1;
  if not found then
    fault := case
      when v_version is null then format('the channel names the template "%s", which does not exist', v_id)
      else format('the channel names version %s of the template "%s", which does not exist', v_version, v_id)
    end;
  end if;
end;
$$;
