-- Fills a batch with the oldest untried events. Every earlier event of their aggregate is published or in the batch.
--
-- Events behind one that is in backoff or given up are parked, so that later calls do not read them. Events behind one
-- that another publisher holds are skipped, up to 5,000 in a call; events behind these have their turn when the 5,000
-- are published.
-- p_taken: the batch so far; these events failed before.
-- Returns: the whole batch.
create or replace function outrider.take_untried_in_order(
  p_limit integer,
  p_max_attempts integer,
  p_taken uuid[],
  p_now timestamptz
)
  returns uuid[]
  language plpgsql
  volatile
as $$
declare
  v_batch uuid[] := p_taken;
  v_size integer := greatest(p_limit, 100);
  v_met integer := 0;
  v_at timestamptz := timestamptz '-infinity';
  v_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  v_chunk uuid[];
  v_open uuid[];
  v_heads uuid[];
  v_stuck uuid[];
begin
  while cardinality(v_batch) < p_limit and v_met < 5000 loop
    select coalesce(array_agg(c.id order by c.created_at, c.id), '{}'), max(c.created_at) into v_chunk, v_at
    from (
      select e.id, e.created_at from outrider.outbox_events e
      where e.published_at is null and e.last_error is null and (e.created_at, e.id) > (v_at, v_id)
      order by e.created_at, e.id
      limit v_size
    ) c;
    v_id := v_chunk[cardinality(v_chunk)];
    v_met := v_met + cardinality(v_chunk);

    select
      coalesce(array_agg(l.id order by l.place) filter (where l.stuck_until is null), '{}'),
      coalesce(array_agg(l.head_id order by l.place) filter (where l.stuck_until is null), '{}'),
      coalesce(array_agg(l.id order by l.place) filter (where l.stuck_until is not null), '{}')
    into v_open, v_heads, v_stuck
    from outrider.sequences_of(v_chunk, p_max_attempts, p_now) l;

    v_batch := outrider.take_sequences(v_open, v_heads, v_batch, p_limit);
    perform outrider.park_events(v_stuck, p_max_attempts, p_now);
    exit when cardinality(v_chunk) < v_size;
    v_size := 1000;
  end loop;
  return v_batch;
end;
$$;
