create or replace function outrider.move_channel(
  p_workspace_id text,
  p_channel_id text,
  p_target_id text,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_channel outrider.channels;
begin
  perform outrider.require_workspace('move_channel', p_workspace_id);
  perform outrider.require_time('move_channel', p_now);
  perform outrider.require_text('move_channel', 'channel_id', p_channel_id, 128);
  perform outrider.require_text('move_channel', 'target_id', p_target_id, 256);

  select c.* into v_channel from outrider.channels c
  where c.workspace_id = p_workspace_id and c.channel_id = p_channel_id
  for no key update;
  if not found then
    raise exception using errcode = 'OR002',
      message = format('move_channel: workspace "%s" has no channel "%s"', p_workspace_id, p_channel_id);
  end if;
  if v_channel.target_id = p_target_id or exists (
    select from outrider.channels c
    where c.workspace_id = p_workspace_id and c.platform = v_channel.platform and c.target_id = p_target_id
  ) then
    return false;
  end if;

  update outrider.channels c set target_id = p_target_id, updated_at = p_now
  where c.workspace_id = p_workspace_id and c.channel_id = p_channel_id;
  insert into outrider.event_log (workspace_id, id, channel_id, ts, action, attempt, result, meta)
  values (p_workspace_id, gen_random_uuid(), p_channel_id, p_now, 'channel_moved', 0, 'ok',
    outrider.mask_json(jsonb_build_object('from_target', v_channel.target_id, 'to_target', p_target_id)));
  return true;
end;
$$;

comment on function outrider.move_channel is $doc$Follows a chat that its platform has moved: gives the channel the new target_id.

Concurrency: locks the channel.
Returns: true when the channel has moved; false when it has this target already, or when another channel has it. The
second case is for an operator to resolve, and the error of the send says so.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.move_channel to outrider_worker;
