-- The parts of a delivery in order, each with its provider_message_id, which is null until the provider has
-- acknowledged the part. What is sent as one part has its id in the delivery alone.
create or replace function outrider.parts_of_delivery(p_delivery outrider.deliveries)
  returns json
  language sql
  immutable
  parallel safe
as $$
  select coalesce(json_agg(json_build_object(
    'item', p.n - 1,
    'kind', p.part ->> 'kind',
    'media', coalesce(jsonb_array_length(p.part -> 'media'), 0),
    'provider_message_id', coalesce(
      (
        select p_delivery.render_meta #>> array['series_progress', 'provider_message_ids', (i.n - 1)::text]
        from jsonb_array_elements(p_delivery.render_meta #> '{series_progress,sent_items}') with ordinality as i (item, n)
        where i.item::integer = p.n - 1
      ),
      case when p_delivery.status = 'sent' and jsonb_array_length(p_delivery.render_meta -> 'parts') = 1
        then p_delivery.provider_message_id
      end
    )
  ) order by p.n), '[]')
  from jsonb_array_elements(p_delivery.render_meta -> 'parts') with ordinality as p (part, n);
$$;
