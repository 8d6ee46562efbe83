-- The text of a delivery as people read it: without markup, each link as "words (url)".
create or replace function outrider.shown_text(p_delivery outrider.deliveries, p_platform text)
  returns text
  language plpgsql
  stable
as $$
begin
  return (
    select case when r.fault is null then r.flat else p_delivery.rendered_text end
    from (
      select p.dialects ->> (p_delivery.render_meta ->> 'format') as dialect
      from outrider.platforms p
      where p.platform = p_platform
    ) d
    cross join lateral outrider.read_markup(p_delivery.rendered_text, d.dialect) r
  );
end;
$$;
