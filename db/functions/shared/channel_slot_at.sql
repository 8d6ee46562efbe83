-- When a channel is free for a call that counts as p_weight messages. One message takes the next slot. Several messages
-- take the slot after it, because they need quiet before them too. Null when the channel has no pace, or has sent
-- nothing yet.
create or replace function outrider.channel_slot_at(p_rate_rps numeric, p_next_allowed_at timestamptz, p_weight integer)
  returns timestamptz
  language sql
  stable
  parallel safe
return case when p_rate_rps > 0
    then p_next_allowed_at + least(p_weight - 1, 1) * outrider.slot_step(p_rate_rps)
  end;
