-- Groups the media of a post as the platform takes them in one call: neighbours of one album together, up to the
-- platform's media_max; a type without an album alone. The order is kept.
--
-- Returns: a list of lists of places, counted from 0: [[0, 1], [2]].
create or replace function outrider.group_media(p_media jsonb, p_platform outrider.platforms)
  returns jsonb
  language plpgsql
  stable
  parallel safe
as $$
declare
  v_together constant integer := case when p_platform.groups_media then p_platform.media_max else 1 end;
  v_groups jsonb;
begin
  with item as (
    select
      m.place - 1 as place,
      t.album is null or t.album is distinct from lag(t.album) over (order by m.place) as starts_run
    from jsonb_array_elements(p_media) with ordinality as m (item, place)
    left join outrider.platform_media t on t.platform = p_platform.platform and t.media_type = m.item ->> 'type'
  ),
  run as (
    select i.place, count(*) filter (where i.starts_run) over (order by i.place) as run_no from item i
  ),
  numbered as (
    select r.place, r.run_no, row_number() over (partition by r.run_no order by r.place) - 1 as place_in_run from run r
  ),
  part as (
    select min(n.place) as first_place, jsonb_agg(n.place order by n.place) as places
    from numbered n
    group by n.run_no, n.place_in_run / v_together
  )
  select jsonb_agg(p.places order by p.first_place) into v_groups from part p;
  return v_groups;
end;
$$;
