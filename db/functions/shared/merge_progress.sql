-- Adds acknowledged parts to render_meta.series_progress, each item once and in its order.
--
-- p_parts is [{"item": 0, "provider_message_id": "42"}, …]. The two lists of series_progress run in
-- parallel: provider_message_ids[i] acknowledges sent_items[i].
create or replace function outrider.merge_progress(p_render_meta jsonb, p_parts jsonb)
  returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select p_render_meta || jsonb_build_object('series_progress', jsonb_build_object(
    'sent_items', jsonb_agg(p.item order by p.item),
    'provider_message_ids', jsonb_agg(p.id order by p.item)
  ))
  from (
    select distinct on (x.item) x.item, x.id
    from (
      select i.value::integer as item, p_render_meta #> array['series_progress', 'provider_message_ids', (i.ordinality - 1)::text] as id, 0 as newer
      from jsonb_array_elements(coalesce(p_render_meta #> '{series_progress,sent_items}', '[]')) with ordinality as i
      union all
      select (e.value ->> 'item')::integer, e.value -> 'provider_message_id', 1
      from jsonb_array_elements(p_parts) as e
    ) x
    order by x.item, x.newer
  ) p;
$$;
