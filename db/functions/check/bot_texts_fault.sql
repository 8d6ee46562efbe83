-- The fault of the texts that a bot says without a rule, which are templates like the answers of rules; null when there is
-- none.
create or replace function outrider.bot_texts_fault(p_fallback text, p_clarify text, p_escalation_text text)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select coalesce(
    (
      select format('%s shows nothing', t.name)
      from (values ('bot_fallback', p_fallback), ('bot_clarify', p_clarify), ('bot_escalation_text', p_escalation_text)) as t (name, text)
      where t.text <> '' and outrider.shows_nothing(t.text)
      limit 1
    ),
    'bot_fallback, ' || outrider.template_fault(p_fallback),
    'bot_clarify, ' || outrider.template_fault(p_clarify),
    'bot_escalation_text, ' || outrider.template_fault(p_escalation_text));
$$;
