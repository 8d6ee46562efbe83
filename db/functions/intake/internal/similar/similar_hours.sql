-- For how many hours back a message is compared with others: as long as the channel looks back that looks back furthest
-- (settings.similar.within_hours, 72 when it does not say). Only channels that may still take the message count. Null
-- when none of them compares posts.
create or replace function outrider.similar_hours(p_channels outrider.judged_channel[], p_profiles outrider.profile[])
  returns integer
  language plpgsql
  immutable
as $$
begin
  return (
    select max(coalesce((((p_profiles[u.profile]).channel).settings #>> '{similar,within_hours}')::integer, 72))
    from unnest(p_channels) as u
    where u.rule is null and u.twin is null and ((p_profiles[u.profile]).channel).settings ? 'similar'
  );
end;
$$;
