-- Refuses a channel whose template, or the version that it names after "@", is not in its workspace.
--
-- Raises: OR002.
create or replace function outrider.refuse_unknown_template()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_template_id constant text := split_part(new.template_ref, '@', 1);
  v_version constant integer := nullif(split_part(new.template_ref, '@', 2), '')::integer;
  v_newest integer;
begin
  select max(t.version) into v_newest
  from outrider.templates t
  where t.workspace_id = new.workspace_id and t.template_id = v_template_id;

  if v_newest is null then
    raise exception using errcode = 'OR002',
      message = format('channel "%s": workspace "%s" has no template "%s"',
        new.channel_id, new.workspace_id, v_template_id),
      hint = 'Insert the template before the channels that name it.';
  end if;
  if v_version is not null and not exists (
    select from outrider.templates t
    where t.workspace_id = new.workspace_id and t.template_id = v_template_id and t.version = v_version
  ) then
    raise exception using errcode = 'OR002',
      message = format('channel "%s": template "%s" has no version %s; its newest is %s',
        new.channel_id, v_template_id, v_version, v_newest),
      hint = 'Name a version that is there, or none to take the newest.';
  end if;
  return null;
end;
$$;

create or replace trigger channels_name_a_known_template
  after insert or update of template_ref on outrider.channels
  for each row
  when (new.template_ref is not null)
  execute function outrider.refuse_unknown_template();
