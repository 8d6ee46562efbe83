-- The change (keep) of a thing that a document does not list and that an apply leaves as it is, with the reason:
-- pruning was not asked for, the document has no such section, or p_reason.
create or replace function outrider.unlisted(p_kind text, p_id text, p_document jsonb, p_prune boolean, p_reason text)
  returns jsonb
  language sql
  stable
as $$
  select outrider.configuration_change(p_kind, p_id, 'keep', null, 'not in the document'
    || case
      when not p_prune then ''
      when not p_document ? k.section then format(', which has no section "%s"', k.section)
      else '; ' || p_reason
    end)
  from outrider.configuration_kinds() k
  where k.kind = p_kind;
$$;
