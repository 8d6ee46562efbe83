-- Every reason that explain_delivery and explain_post know, with its two sentences: why, and what to do. A name in
-- braces is a fact that takes its place (say). docs/explain.md lists the same.
create or replace function outrider.reasons()
  returns table (reason text, because text, advice text)
  language sql
  immutable
  parallel safe
as $$
  select * from outrider.reasons_of_gates()
  union all
  select * from outrider.reasons_of_turns()
  union all
  select * from outrider.reasons_of_ends()
  union all
  select * from outrider.reasons_of_routing()
  union all
  select * from outrider.reasons_of_intake();
$$;
