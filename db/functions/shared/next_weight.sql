-- How many slots the next call of a delivery takes: the weight of the first part that is not sent yet.
create or replace function outrider.next_weight(p_render_meta jsonb)
  returns smallint
  language sql
  immutable
  parallel safe
return coalesce(
    case when p_render_meta ? 'series_progress'
      then p_render_meta #>> array[
        'parts', jsonb_array_length(p_render_meta #> '{series_progress,sent_items}')::text, 'weight']
      else p_render_meta #>> '{parts,0,weight}'
    end::smallint, 1::smallint);
