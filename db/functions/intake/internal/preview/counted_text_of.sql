-- The text of a composed post as its platform counts it: empty when it shows nothing, because it is then not sent; null
-- when the post was refused for something else than the length of its text.
--
-- A post that was refused does not say in which dialect it was read: the right one is that in which it has the length
-- that the fault names.
create or replace function outrider.counted_text_of(p_post outrider.composed_post, p_platform outrider.platforms)
  returns text
  language plpgsql
  stable
as $$
begin
  if p_post.fault is null then
    return (
      select case when outrider.shows_nothing(r.visible) then ''
        else outrider.counted_text(p_post.rendered_text, r.visible, r.first_entity, p_platform) end
      from outrider.read_markup(p_post.rendered_text, p_platform.dialects ->> (p_post.render_meta ->> 'format')) r);
  elsif p_post.fault !~ '^the text has [0-9,]+ characters' then
    return null;
  end if;
  return (
    select c.counted
    from (select null as dialect union all select d.value from jsonb_each_text(p_platform.dialects) as d) d
    cross join lateral outrider.read_markup(p_post.rendered_text, d.dialect) r
    cross join lateral (
      select outrider.counted_text(p_post.rendered_text, r.visible, r.first_entity, p_platform) as counted
      offset 0
    ) c
    where to_char(outrider.text_length(c.counted, p_platform.length_unit), 'FM999,999,999')
      = substring(p_post.fault from 'has ([0-9,]+) characters')
    limit 1
  );
end;
$$;
