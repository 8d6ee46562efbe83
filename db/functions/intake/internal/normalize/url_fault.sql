-- Checks an address of a post: an http(s) address of at most 2048 characters.
--
-- Returns: a sentence; null: nothing is wrong, or there is no address.
create or replace function outrider.url_fault(p_path text, p_url text)
  returns text
  language sql
  stable
  parallel safe
return case
  when length(p_url) > 2048 then outrider.length_fault(p_path, p_url, 0, 2048)
  when not outrider.is_http_url(p_url) then format('%s %s is not an http(s) address', p_path, outrider.excerpt(p_url))
end;
