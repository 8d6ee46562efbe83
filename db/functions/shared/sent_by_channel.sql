-- How many deliveries of each channel an event of the action `sent` counts for, by what its row says. Of the packed events of
-- one commit the first has the numbers of all of them in its meta, so nobody who counts has to read deliveries.
create or replace function outrider.sent_by_channel(p_delivery_ids uuid[], p_channel_id text, p_meta jsonb)
  returns table (channel_id text, sent bigint)
  language sql
  stable
as $$
  select p_channel_id, 1::bigint where p_delivery_ids is null
  union all
  select c.key, c.value::bigint from jsonb_each_text(p_meta -> 'channels') c where p_delivery_ids is not null;
$$;
