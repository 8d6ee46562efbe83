-- Decides about the channels that a document does not list. Pruning deletes them; a channel that has deliveries cannot
-- be deleted and is disabled instead.
--
-- Concurrency: the channels are locked by the caller. The foreign key decides whether a channel has deliveries, because
-- an enqueue may be adding one at this moment.
create or replace function outrider.prune_channels(p_document jsonb, p_prune boolean, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_channel outrider.channels;
  v_change jsonb;
begin
  for v_channel in
    select c.* from outrider.channels c
    where c.workspace_id = v_workspace_id and not coalesce(p_document -> 'channels' ? c.channel_id, false)
    order by c.channel_id
  loop
    if not p_prune or not p_document ? 'channels' then
      return next outrider.unlisted('channel', v_channel.channel_id, p_document, p_prune, null);
      continue;
    end if;
    begin
      delete from outrider.channels c where c.workspace_id = v_workspace_id and c.channel_id = v_channel.channel_id;
      v_change := outrider.configuration_change('channel', v_channel.channel_id, 'remove', null);
    exception
      when foreign_key_violation then
        update outrider.channels c
        set enabled = false, stopped_because = outrider.applied_by(), updated_at = p_now
        where c.workspace_id = v_workspace_id and c.channel_id = v_channel.channel_id and c.enabled;
        if found then
          perform outrider.write_channel_event(v_workspace_id, v_channel.channel_id, 'channel_disabled', '{}', p_now);
          v_change := outrider.configuration_change(
            'channel', v_channel.channel_id, 'remove', null, 'disabled: it has deliveries');
        else
          v_change := outrider.unlisted('channel', v_channel.channel_id, p_document, p_prune,
            'it has deliveries and is disabled');
        end if;
    end;
    return next v_change;
  end loop;
end;
$$;
