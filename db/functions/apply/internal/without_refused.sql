-- A document without its refused things. The rest of it can still be tried, to find further faults.
create or replace function outrider.without_refused(p_document jsonb, p_refused jsonb[])
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_document jsonb := p_document;
  v_thing record;
begin
  for v_thing in
    select t.kind, t.name, t.platform, k.section
    from outrider.configured_things(p_document) t
    join outrider.configuration_kinds() k on k.kind = t.kind
    join unnest(p_refused) as r (change) on r.change ->> 'kind' = t.kind and r.change ->> 'id' = t.id
  loop
    v_document := case v_thing.kind
      when 'workspace' then v_document - array['name', 'status']
      when 'settings' then v_document - 'settings'
      when 'rate_group' then v_document #- array[v_thing.section, v_thing.platform, v_thing.name]
      else v_document #- array[v_thing.section, v_thing.name]
    end;
  end loop;
  return v_document;
end;
$$;
