-- Lets channels of a document take over one another's targets. Targets are unique, so a channel that gives its target
-- up to another channel of the document gets a placeholder before the first of them is written.
--
-- Returns: a refused_change for each channel whose target belongs to another one.
create or replace function outrider.hand_over_targets(p_workspace_id text, p_channels jsonb)
  returns setof jsonb
  language plpgsql
  volatile
as $$
begin
  return query
  with wanted as (
    select
      coalesce(w.key, c.channel_id) as id,
      coalesce(w.value ->> 'platform', c.platform) as platform,
      coalesce(w.value ->> 'target_id', c.target_id) as target_id,
      w.key is not null as listed
    from jsonb_each(p_channels) w
    full join (select x.* from outrider.channels x where x.workspace_id = p_workspace_id) c on c.channel_id = w.key
  )
  select distinct on (one.id) outrider.refused_change('channel', one.id,
    format('channel %s: target_id %s on %s belongs to channel %s', outrider.excerpt(one.id),
      outrider.excerpt(one.target_id), one.platform, outrider.excerpt(other.id)),
    'A destination has one channel: keep the channel that has it, or give that one another target_id.')
  from wanted one
  join wanted other on other.platform = one.platform and other.target_id = one.target_id
    and (other.id > one.id or (other.id < one.id and not other.listed)) -- a clash within the document is reported once
  where one.listed
  order by one.id, other.id;

  update outrider.channels c
  set target_id = e'\x01' || c.channel_id
  where c.workspace_id = p_workspace_id and p_channels -> c.channel_id ? 'target_id'
    and (c.platform, c.target_id) <> (
      coalesce(p_channels -> c.channel_id ->> 'platform', c.platform), p_channels -> c.channel_id ->> 'target_id')
    and exists (
      select from jsonb_each(p_channels) as o where o.key <> c.channel_id and o.value ->> 'target_id' = c.target_id);
end;
$$;
