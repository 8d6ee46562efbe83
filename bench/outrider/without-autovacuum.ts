/** Otherwise autovacuum would analyze the tables in the middle of a run that measures them without statistics. */
export const withoutAutovacuum = `
  do $$
  declare
    v_table regclass;
  begin
    for v_table in
      select c.oid from pg_class c where c.relnamespace = 'outrider'::regnamespace and c.relkind = 'r'
    loop
      execute format('alter table %s set (autovacuum_enabled = off)', v_table);
    end loop;
  end;
  $$`;
