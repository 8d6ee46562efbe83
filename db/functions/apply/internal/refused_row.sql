-- The refused_change of a row that could not be written. It has p_fault, for which the row was refused, and everything
-- else that is wrong with the row. p_hint belongs to p_fault, and is left out when there are other faults.
create or replace function outrider.refused_row(
  p_kind text,
  p_id text,
  p_row jsonb,
  p_fault text,
  p_hint text default null
)
  returns jsonb
  language sql
  stable
as $$
  select outrider.refused_change(
    p_kind, p_id,
    string_agg(f.fault, e'\n' order by f.n),
    case when count(*) = 1 then p_hint end)
  from (
    select x.fault, min(x.n) as n
    from (
      select 0, p_fault
      union all
      select r.n, format('%s %s: %s', replace(p_kind, '_', ' '), outrider.excerpt(p_id), r.fault)
      from outrider.row_faults(p_kind, p_row) with ordinality as r (fault, n)
    ) as x (n, fault)
    group by x.fault
  ) f;
$$;
