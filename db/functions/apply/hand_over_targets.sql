-- Lets channels take over one another's targets: a target that its channel gives up for another channel of the
-- document is freed before the first of them is written.
--
-- Raises: OR001 when two channels would have one target.
create or replace function outrider.hand_over_targets(p_workspace_id text, p_channels jsonb)
  returns void
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_clash record;
begin
  with wanted as (
    select
      coalesce(w.key, c.channel_id) as id,
      coalesce(w.value ->> 'platform', c.platform) as platform,
      coalesce(w.value ->> 'target_id', c.target_id) as target_id,
      w.key is not null as listed
    from jsonb_each(p_channels) w
    full join (select x.* from outrider.channels x where x.workspace_id = p_workspace_id) c on c.channel_id = w.key
  )
  select one.id, one.platform, one.target_id, other.id as other_id into v_clash
  from wanted one
  join wanted other on other.platform = one.platform and other.target_id = one.target_id and other.id <> one.id
  where one.listed
  order by one.id
  limit 1;
  if found then
    raise exception using errcode = 'OR001',
      message = format('channel %s: target_id %s on %s belongs to channel %s', outrider.excerpt(v_clash.id),
        outrider.excerpt(v_clash.target_id), v_clash.platform, outrider.excerpt(v_clash.other_id)),
      hint = 'A destination has one channel: keep the channel that has it, or give that one another target_id.';
  end if;

  update outrider.channels c
  set target_id = e'\x01' || c.channel_id
  where c.workspace_id = p_workspace_id and p_channels -> c.channel_id ? 'target_id'
    and (c.platform, c.target_id) <> (
      coalesce(p_channels -> c.channel_id ->> 'platform', c.platform), p_channels -> c.channel_id ->> 'target_id')
    and exists (
      select from jsonb_each(p_channels) as o where o.key <> c.channel_id and o.value ->> 'target_id' = c.target_id);
end;
$$;
