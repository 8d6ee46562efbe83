-- Refuses a template whose body cannot be rendered: an enqueue that uses it would have to guess.
--
-- Raises: OR001, with the fault in words.
create or replace function outrider.refuse_bad_template()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_fault text := outrider.template_fault(new.body);
begin
  if v_fault is not null then
    raise exception using errcode = 'OR001',
      message = format('template "%s", version %s, %s', new.template_id, new.version, v_fault);
  end if;
  return null;
end;
$$;

create or replace trigger templates_can_be_rendered
  after insert on outrider.templates
  for each row
  execute function outrider.refuse_bad_template();
