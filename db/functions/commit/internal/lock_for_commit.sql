-- Locks the rate groups and then the channels that a commit will write, each in order, before any delivery is touched:
-- groups that a failure concerns and groups whose streak of failures ends, then channels to penalise and channels whose
-- error streak ends.
--
-- A group without a row gets one, in order, as in a claim (add_missing_groups).
-- Returns: what is locked; groups as platform/group.
create or replace function outrider.lock_for_commit(
  p_workspace_id text,
  p_failures jsonb,
  p_delivering text[],
  p_now timestamptz,
  out groups text[],
  out channels text[]
)
  language plpgsql
  volatile
as $$
declare
  v_penalised text[];
  v_failing text[];
begin
  select
    array_agg(distinct d.channel_id) filter (where f.error ->> 'scope' = 'channel'),
    array_agg(distinct d.channel_id) filter (where outrider.touches_group(outrider.complete_error(f.error)))
  into v_penalised, v_failing
  from (
    select p_workspace_id as workspace_id, u.*
    from jsonb_to_recordset(p_failures) as u (delivery_id uuid, error jsonb)
    limit jsonb_array_length(p_failures)
  ) f
  join outrider.deliveries d on d.workspace_id = f.workspace_id and d.delivery_id = f.delivery_id;

  if v_failing is not null then
    perform outrider.add_missing_groups(p_workspace_id, v_failing, p_now);
  end if;

  groups := array(
    select g.platform || '/' || g.rate_group
    from outrider.platform_limits g
    where g.workspace_id = p_workspace_id
      and (g.platform, g.rate_group) in (
        select c.platform, c.rate_group from outrider.channels c
        where c.workspace_id = p_workspace_id
          and (c.channel_id = any (v_failing) or (c.channel_id = any (p_delivering) and g.outage_channels is not null))
      )
    order by g.platform, g.rate_group
    for no key update
  );
  channels := array(
    select c.channel_id from outrider.channels c
    where c.workspace_id = p_workspace_id
      and (c.channel_id = any (v_penalised) or (c.channel_id = any (p_delivering) and c.error_streak > 0))
    order by c.channel_id
    for no key update
  );
end;
$$;
