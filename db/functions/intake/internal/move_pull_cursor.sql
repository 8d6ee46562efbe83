-- Moves a pull source on after a chunk. A pull that ends gives its lease back and says when the source is due again; a pull
-- that goes on keeps the source, which is then due since this chunk. A pull that has reached the source's end, and does not
-- end before an item that is held, ends a streak of failures, with an event.
-- A pull that ends before an item which still waits for its medium changes neither the count of its tries nor their time.
--
-- p_cursor: the row as it is, locked by the caller.
create or replace function outrider.move_pull_cursor(
  p_cursor outrider.pull_cursors,
  p_taken integer,
  p_cursor_to jsonb,
  p_lease_token uuid,
  p_next_pull_at timestamptz,
  p_held_item text,
  p_lease interval,
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_goes_on constant boolean := p_lease_token is not null and p_next_pull_at is null;
  v_is_well constant boolean := not v_goes_on and p_held_item is null;
  v_waits constant boolean := coalesce(p_held_item = p_cursor.held_item and p_now < outrider.held_until(p_cursor), false);
  v_cursor outrider.pull_cursors;
begin
  update outrider.pull_cursors c
  set cursor_json = coalesce(p_cursor_to, c.cursor_json),
      updated_at = case when v_waits or v_goes_on and c.held_item is not null then c.updated_at else p_now end,
      items_taken = c.items_taken + p_taken,
      last_item_at = case when p_taken > 0 then p_now else c.last_item_at end,
      pulled_at = case when v_goes_on then c.pulled_at else p_now end,
      next_pull_at = case when c.next_pull_at is null then null when v_goes_on then p_now else coalesce(p_next_pull_at, c.next_pull_at) end,
      lease_token = case when v_goes_on then c.lease_token end,
      lease_until = case when v_goes_on then p_now + p_lease end,
      leased_by = case when v_goes_on then c.leased_by end,
      failures = case when v_is_well then 0 else c.failures end,
      failing_since = case when not v_is_well then c.failing_since end,
      last_error = case when not v_is_well then c.last_error end,
      held_item = case when v_goes_on then c.held_item else p_held_item end,
      held_pulls = case
        when v_goes_on then c.held_pulls
        when p_held_item is null then 0
        when v_waits then c.held_pulls
        when p_held_item = c.held_item then c.held_pulls + 1
        else 1
      end
  where c.workspace_id = p_cursor.workspace_id and c.source_id = p_cursor.source_id
  returning c.* into v_cursor;
  if not v_goes_on and (v_waits or v_cursor.next_pull_at < outrider.held_until(v_cursor)) and v_cursor.next_pull_at is not null then
    update outrider.pull_cursors c set next_pull_at = outrider.held_until(v_cursor)
    where c.workspace_id = p_cursor.workspace_id and c.source_id = p_cursor.source_id;
  end if;

  if p_cursor.failures > 0 and v_is_well then
    insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, meta)
    values (
      p_cursor.workspace_id, gen_random_uuid(), p_now, 'pull_recovered', 0, 'ok',
      outrider.mask_json(jsonb_build_object('source_id', p_cursor.source_id, 'failing_since', p_cursor.failing_since,
        'failures', p_cursor.failures)));
  end if;
end;
$$;
