-- Locks untried events of sequences whose head it can lock.
--
-- The publisher that holds the head of a sequence holds the sequence. It locks the other events only then, so that no
-- publisher blocks a sequence that it cannot use.
-- p_heads: the head of each of p_ids; p_taken: the events that this call has locked already.
-- Returns: the ids of those locked, at most the first p_limit.
create or replace function outrider.lock_sequences(p_ids uuid[], p_heads uuid[], p_taken uuid[], p_limit integer)
  returns uuid[]
  language plpgsql
  volatile
as $$
declare
  v_wanted uuid[];
  v_heads uuid[];
begin
  v_wanted := array(
    select u.id from unnest(p_ids, p_heads) with ordinality as u (id, head_id, place)
    where u.id = u.head_id
    order by u.place
    limit p_limit
  );
  v_heads := p_taken || array(select l.id from outrider.lock_untried(v_wanted) as l (id));
  v_wanted := array(
    select u.id from unnest(p_ids, p_heads) with ordinality as u (id, head_id, place)
    where u.head_id = any (v_heads)
    order by u.place
    limit p_limit
  );
  return array(select l.id from outrider.lock_untried(v_wanted) as l (id));
end;
$$;
