-- Why a text is too long for a platform, or null.
--
-- p_sent: the text with its markup. p_format: null for plain text. p_length: the length of the text as the platform
-- counts it. p_max: null when this length has been checked already, as that of a caption.
create or replace function outrider.platform_text_fault(
  p_sent text,
  p_format text,
  p_length integer,
  p_max integer,
  p_platform outrider.platforms
)
  returns text
  language sql
  stable
  parallel safe
return case
    when p_length > p_max then
      format('the text has %s characters%s, %s takes %s', to_char(p_length, 'FM999,999,999'),
        case when (p_platform).counts_markup and p_format is not null then ' with its markup' end,
        (p_platform).title, to_char(p_max, 'FM999,999,999'))
    when octet_length(p_sent) > (p_platform).text_bytes_max then
      format('the text has %s bytes with its markup, %s takes %s', to_char(octet_length(p_sent), 'FM999,999,999'),
        (p_platform).title, to_char((p_platform).text_bytes_max, 'FM999,999,999'))
  end;
