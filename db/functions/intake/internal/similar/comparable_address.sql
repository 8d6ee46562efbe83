-- A canonical address in a form in which two that lead to the same page are the same: without scheme, www. or m.,
-- fragment, and parameters that only count visits. Null for one that names a site and no page: many posts may share it.
create or replace function outrider.comparable_address(p_url text)
  returns text
  language sql
  immutable
  parallel safe
return substring(
    regexp_replace(
      regexp_replace(
        regexp_replace(
          regexp_replace(p_url, '#.*$|^https?://(?:www\.|m\.)?', '', 'gi'),
          '([?&])(?:utm_[a-z]+|fbclid|gclid|yclid|ysclid|igshid|_openstat)=[^&]*', '\1', 'gi'),
        '([?&])&+', '\1', 'g'),
      '[/?&]+$', '')
    from '^[^/]+/.+$');
