-- Fills a batch with untried events of sequences whose head it can lock; of each sequence, those before its first gap.
--
-- p_heads: the head of each of p_ids; p_batch: the batch so far.
-- Returns: the whole batch.
create or replace function outrider.take_sequences(p_ids uuid[], p_heads uuid[], p_batch uuid[], p_limit integer)
  returns uuid[]
  language plpgsql
  volatile
as $$
declare
  v_batch uuid[] := p_batch;
  v_ids uuid[] := p_ids;
  v_heads uuid[] := p_heads;
  v_locked uuid[];
  v_broken uuid[];
begin
  while cardinality(v_batch) < p_limit loop
    v_locked := outrider.lock_sequences(v_ids, v_heads, v_batch, p_limit - cardinality(v_batch));
    exit when cardinality(v_locked) = 0;
    v_batch := v_batch || v_locked;
    v_batch := outrider.events_without_gaps(v_batch);

    -- A sequence with a gap has no more events for this batch, and must not take the place of others.
    v_broken := array(
      select u.head_id from unnest(v_ids, v_heads) as u (id, head_id)
      where u.id = any (v_locked) and u.id <> all (v_batch)
    );
    select coalesce(array_agg(u.id order by u.place), '{}'), coalesce(array_agg(u.head_id order by u.place), '{}')
    into v_ids, v_heads
    from unnest(v_ids, v_heads) with ordinality as u (id, head_id, place)
    where u.id <> all (v_locked) and u.head_id <> all (v_broken);
  end loop;
  return v_batch;
end;
$$;
