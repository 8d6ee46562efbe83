-- Carries out an operator's order on channels. pause_channels, resume_channels, enable_channels and disable_channels
-- call it, and so do disable_rate_group and enable_rate_group, which name p_rate_group. p_function is the one that was called.
--
-- p_dry_run: only says what it would do. order_fault says what is refused, each with its reason.
-- Concurrency: locks the channels in order.
-- Returns: one row for each id; none for an empty list.
-- Raises: OR001, OR002, OR003.
create or replace function outrider.order_channels(
  p_function text,
  p_workspace_id text,
  p_channel_ids text[],
  p_until timestamptz,
  p_rate_group text,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_now timestamptz
)
  returns table (channel_id text, changed boolean, note text)
  language plpgsql
  volatile
as $$
#variable_conflict use_column
declare
  v_order constant text := split_part(p_function, '_', 1);
  v_cause jsonb;
  v_channel outrider.channels;
  v_id text;
  v_refusal text;
begin
  perform outrider.require_workspace(p_function, p_workspace_id);
  perform outrider.require_names(p_function, 'channel_ids', p_channel_ids, p_now);
  perform outrider.require_flag(p_function, 'dry_run', p_dry_run);
  perform outrider.require_operator(p_function, p_operator, p_reason);
  if p_until <= p_now or not outrider.is_usable_time(p_until) then
    raise exception using errcode = 'OR001',
      message = format('%s: until must be a time that lies ahead, before the year 2201, or nothing', p_function);
  end if;
  v_cause := outrider.mask_json(jsonb_build_object('operator', p_operator, 'reason', p_reason));

  for v_id in select distinct x.id collate "C" from unnest(p_channel_ids) as x (id) order by 1 loop
    select c.* into v_channel from outrider.channels c
    where c.workspace_id = p_workspace_id and c.channel_id = v_id
    for no key update;

    v_refusal := outrider.order_fault(v_order, v_channel, p_rate_group is not null, p_now);
    if v_refusal is null and not p_dry_run then
      update outrider.channels c
      set enabled = case v_order when 'enable' then true when 'disable' then false else c.enabled end,
          paused_until = case v_order when 'pause' then coalesce(p_until, 'infinity') when 'disable' then c.paused_until end,
          error_streak = case when v_order in ('resume', 'enable') then 0 else c.error_streak end,
          stopped_because = case when v_order in ('pause', 'disable') then v_cause end,
          updated_at = p_now
      where c.workspace_id = p_workspace_id and c.channel_id = v_id;
      perform outrider.write_channel_event(p_workspace_id, v_id, ('channel_' || v_order || 'd')::outrider.event_action,
        jsonb_strip_nulls(v_cause || jsonb_build_object('paused_until', p_until, 'rate_group', p_rate_group)), p_now);
    end if;
    return query select v_id, v_refusal is null, v_refusal;
  end loop;
end;
$$;
