-- The beginning of a post, masked, in one line: of its title, or of its text; empty when it has neither.
create or replace function outrider.post_excerpt(p_payload jsonb)
  returns text
  language sql
  immutable
  parallel safe
return left(
    regexp_replace(
      outrider.mask_text(left(coalesce(p_payload ->> 'title', p_payload ->> 'text', ''), 1000)), '\s+', ' ', 'g'), 80);
