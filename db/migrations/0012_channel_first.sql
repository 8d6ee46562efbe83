-- An index that begins with the workspace looks like a way to a single delivery, to a planner without statistics:
-- on a table of some two hundred rows it is one page shorter than the primary key. The plan is then kept, and walks a
-- workspace for every id. Beginning with the channel it answers the same questions and cannot be mistaken.
drop index outrider.deliveries_of_channel_idx;
create index deliveries_of_channel_idx on outrider.deliveries (channel_id, workspace_id, seq);
