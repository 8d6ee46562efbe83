-- Refuses to change a version of a template: a delivery names the version that it was rendered with, and that version
-- must stay as it was.
--
-- Raises: OR003.
create or replace function outrider.refuse_template_change()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  raise exception using errcode = 'OR003',
    message = format('template "%s", version %s, cannot be changed', old.template_id, old.version),
    hint = 'Insert the next version; channels that name no version take it from then on.';
end;
$$;

create or replace trigger templates_never_change_a_version
  after update on outrider.templates
  for each row
  when (
    (old.workspace_id, old.template_id, old.version, old.body, old.defaults)
    is distinct from (new.workspace_id, new.template_id, new.version, new.body, new.defaults)
  )
  execute function outrider.refuse_template_change();
