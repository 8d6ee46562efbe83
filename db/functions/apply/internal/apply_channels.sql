-- Brings the channels of a workspace to what a document says. Pauses, cooldowns and error streaks stay, with one
-- exception: enabling a channel ends its pause and its streak. Slots stay unless the rate or the rate group changes.
-- The current credential of a channel is the one in channel_auth, if it has a row there, or else its own auth_ref.
--
-- Without a rate_group in the document the rate group is the channel's auth_ref, and it follows a new auth_ref for as
-- long as the two are the same. A new channel without a rate_rps gets the platform's.
-- Concurrency: locks the channels in order, after the rate groups; then those that get another target or are deleted
-- (lock_destinations).
-- Returns: a configuration_change for each channel, or a refused_change if it cannot be as the document says.
create or replace function outrider.apply_channels(p_document jsonb, p_prune boolean, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_channels jsonb;
  v_clashes jsonb[];
  v_id text;
  v_fields jsonb;
  v_key jsonb;
  v_before jsonb;
  v_change jsonb;
begin
  perform from outrider.channels c where c.workspace_id = v_workspace_id order by c.channel_id for no key update;
  select jsonb_object_agg(c.channel_id, to_jsonb(c) || jsonb_build_object('auth_ref', coalesce(r.auth_ref, c.auth_ref)))
  into v_channels
  from outrider.channels c
  left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
  where c.workspace_id = v_workspace_id;

  perform outrider.lock_destinations(v_workspace_id, array(
    select c.key from jsonb_each(v_channels) c
    left join jsonb_each(p_document -> 'channels') w on w.key = c.key
    where (w.key is null and p_prune and p_document ? 'channels')
      or w.value -> 'target_id' <> c.value -> 'target_id' or w.value -> 'platform' <> c.value -> 'platform'));
  return query select outrider.prune_channels(p_document, p_prune, p_now);
  v_clashes := array(select outrider.hand_over_targets(v_workspace_id, coalesce(p_document -> 'channels', '{}')));
  return query select * from unnest(v_clashes);

  for v_id, v_fields in
    select c.key, c.value from jsonb_each(p_document -> 'channels') c order by c.key
  loop
    v_before := v_channels -> v_id;
    if v_fields ? 'auth_ref' and not v_fields ? 'rate_group'
      and coalesce(v_before -> 'rate_group' = v_before -> 'auth_ref', true)
    then
      v_fields := v_fields || jsonb_build_object('rate_group', v_fields -> 'auth_ref');
    end if;
    if v_before is null and not v_fields ? 'rate_rps' then
      v_fields := v_fields || jsonb_build_object('rate_rps', (
        select p.channel_rps from outrider.platforms p where p.platform = v_fields ->> 'platform'));
    end if;
    v_key := jsonb_build_object('workspace_id', v_workspace_id, 'channel_id', v_id);
    if exists (select from unnest(v_clashes) as x where x ->> 'id' = v_id) then
      return query
      select outrider.refused_change('channel', v_id, format('channel %s: %s', outrider.excerpt(v_id), f.fault))
      from outrider.row_faults('channel', coalesce(v_before, v_key) || v_fields) as f (fault);
      continue;
    end if;
    if v_fields -> 'platform' <> v_before -> 'platform' and exists (
      select from outrider.deliveries d where d.workspace_id = v_workspace_id and d.channel_id = v_id
    ) then
      return next outrider.refused_change('channel', v_id,
        format('channel %s: platform cannot change from %s, because it has deliveries', outrider.excerpt(v_id), v_before ->> 'platform'),
        'Give the channel on the other platform an id of its own.');
      continue;
    end if;

    v_change := outrider.apply_row('channel', 'channels', v_id, v_key, v_before, v_fields, p_now);
    if v_change ->> 'action' = 'change' then
      perform outrider.record_channel_change(v_workspace_id, v_id, v_change -> 'fields', p_now);
      if v_change -> 'fields' ?| '{rate_rps,rate_group}' then
        perform outrider.restart_pace(v_workspace_id, array[v_id], p_now);
      end if;
    elsif v_change ->> 'action' = 'add' and v_fields -> 'enabled' = 'false' then
      update outrider.channels c set stopped_because = outrider.applied_by()
      where c.workspace_id = v_workspace_id and c.channel_id = v_id;
    end if;
    return next coalesce(outrider.credential_fault(v_workspace_id, v_id), outrider.with_warnings(
      v_change, outrider.credential_warning(v_workspace_id, v_id), outrider.disabled_warning(v_before, v_fields)));
  end loop;
end;
$$;
