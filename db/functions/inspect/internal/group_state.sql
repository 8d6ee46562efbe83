-- Whether a rate group sends now, and if not, since when, until when and why, in words.
--
-- Returns: `state` is open; cooling_down, because the platform asked for it; resting, because the platform is ill;
-- probing, after a rest, while one post at a time tries whether the platform is well; or credential_refused, by the
-- platform. `until` is null when the group is open, and when it is not a matter of time. A group that has no row is
-- open.
create or replace function outrider.group_state(
  p_group outrider.platform_limits,
  p_now timestamptz,
  out state text,
  out since timestamptz,
  out until timestamptz,
  out reason text
)
  language sql
  stable
  parallel safe
as $$
  select
    s.state,
    case when s.state = 'credential_refused' then p_group.closed_at when s.state in ('resting', 'probing') then p_group.outage_since end,
    case when s.state in ('cooling_down', 'resting') then greatest(p_group.cooldown_until, p_group.resting_until) end,
    case s.state
      when 'open' then null
      when 'credential_refused' then (
        select format('credential %s was refused by %s: replace the token, then `outrider auth check`',
          p_group.closed_auth_ref || coalesce(' (' || b.secret_ref || ')', ''), p.title)
        from outrider.platforms p
        left join outrider.credential_bindings b
          on b.workspace_id = p_group.workspace_id and b.auth_ref = p_group.closed_auth_ref
        where p.platform = p_group.platform
      )
      when 'cooling_down' then e.words
      else format('%s of its channels in a row found the platform ill: %s', cardinality(p_group.outage_channels), e.words)
    end
  from (
    select case
      when p_group.closed_at is not null then 'credential_refused'
      when p_group.resting_until > p_now then 'resting'
      when p_group.cooldown_until > p_now then 'cooling_down'
      when p_group.outage_since is not null then 'probing'
      else 'open'
    end as state
  ) s
  cross join (
    select nullif(concat_ws(': ', p_group.last_error ->> 'code', p_group.last_error ->> 'message'), '') as words
  ) e;
$$;
