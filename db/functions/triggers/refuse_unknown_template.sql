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
  v_fault constant text := outrider.template_ref_fault(new.workspace_id, new.template_ref);
begin
  if v_fault is not null then
    raise exception using errcode = 'OR002',
      message = format('channel "%s": %s', new.channel_id, v_fault),
      hint = 'Insert the template before the channels that name it, or name a version that is there.';
  end if;
  return null;
end;
$$;

create or replace trigger channels_name_a_known_template
  after insert or update of template_ref on outrider.channels
  for each row
  when (new.template_ref is not null)
  execute function outrider.refuse_unknown_template();
