-- Brings the templates of a workspace to what a document says: a changed body or changed defaults make the next
-- version, because a version never changes.
create or replace function outrider.apply_templates(p_document jsonb, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_id text;
  v_fields jsonb;
  v_newest outrider.templates;
  v_changed jsonb;
  v_change jsonb;
begin
  for v_id, v_fields in select t.key, t.value from jsonb_each(p_document -> 'templates') t order by t.key loop
    select t.* into v_newest from outrider.templates t
    where t.workspace_id = v_workspace_id and t.template_id = v_id
    order by t.version desc
    limit 1;
    select jsonb_object_agg(f.key, jsonb_build_object('from', to_jsonb(v_newest) -> f.key, 'to', f.value)) into v_changed
    from jsonb_each(v_fields) f
    where to_jsonb(v_newest) -> f.key <> f.value;

    if v_newest.version is not null and v_changed is null then
      v_change := outrider.configuration_change('template', v_id, 'keep', null);
    else
      v_change := outrider.apply_row('template', 'templates', v_id,
        jsonb_build_object(
          'workspace_id', v_workspace_id, 'template_id', v_id, 'version', coalesce(v_newest.version, 0) + 1),
        null,
        case when v_newest.version is null then v_fields
          else jsonb_build_object('body', v_newest.body, 'defaults', v_newest.defaults) || v_fields end,
        p_now);
    end if;
    if v_newest.version is not null and v_changed is not null and v_change ->> 'action' <> 'refuse' then
      v_change := outrider.configuration_change('template', v_id, 'change', v_changed
        || jsonb_build_object('version', jsonb_build_object('from', v_newest.version, 'to', v_newest.version + 1)));
    end if;
    return next v_change;
  end loop;
end;
$$;
