-- Refuses a channel that allows links where its platform takes uploads only: posts would pass the preflight, and the
-- adapter could not send them.
--
-- Raises: OR001.
create or replace function outrider.refuse_upload_policy()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_fault constant text := outrider.upload_policy_fault(new.platform, new.settings);
begin
  if v_fault is not null then
    raise exception using errcode = 'OR001', message = format('channel "%s": %s', new.channel_id, v_fault);
  end if;
  return null;
end;
$$;

create or replace trigger channels_allow_only_links_that_are_taken
  after insert or update of platform, settings on outrider.channels
  for each row
  when (new.settings ? 'media_upload')
  execute function outrider.refuse_upload_policy();
