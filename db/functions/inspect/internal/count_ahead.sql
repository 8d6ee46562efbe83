-- How many other deliveries of its channel are due and came before a delivery; counted up to 10,000.
create or replace function outrider.count_ahead(p_delivery outrider.deliveries)
  returns bigint
  language plpgsql
  stable
as $$
begin
  return (
    select count(*)
    from (
      select from outrider.delivery_queue q
      where q.workspace_id = p_delivery.workspace_id and q.channel_id = p_delivery.channel_id
        and q.available_at = '-infinity' and q.seq < p_delivery.seq
      limit 10000
    ) q
  );
end;
$$;
