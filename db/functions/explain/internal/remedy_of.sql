-- What to do about an error, as a sentence, by its code. Codes that programs give themselves are judged by what the
-- error says about whose fault it is.
create or replace function outrider.remedy_of(p_error jsonb)
  returns text
  language sql
  immutable
  parallel safe
return case p_error ->> 'code'
    when 'rate_limited' then 'Nothing has to be done; if this comes often, lower `rate_rps`.'
    when 'credential_refused' then 'Replace the token, then `outrider auth check`.'
    when 'unreachable' then 'Check the network, the proxy and the certificates between here and the platform.'
    when 'outcome_unknown' then 'Nothing has to be done: the next attempt takes into account that this one may have arrived.'
    when 'read_failed' then 'Nothing has to be done: the chat is read again before the next attempt.'
    when 'unexpected_answer' then 'Check proxies, and the addresses of platforms in the environment (`*_API_URL`).'
    when 'chat_not_found' then 'Correct `target_id` of the channel.'
    when 'chat_moved' then 'Correct `target_id` of the channel: the chat has a new address.'
    when 'not_allowed' then 'Give the bot or the user back its right to post in the chat.'
    when 'settings' then 'Correct `settings` of the channel.'
    when 'unsupported_platform' then 'Run a version that has the adapter of this platform.'
    when 'validation_failed' then 'Correct the post, and hand it in again.'
    when 'unreadable_delivery' then 'Hand the post in again: it was queued by another version.'
    when 'media_missing_origin' then 'Hand the post in again with the file: its bytes are gone.'
    when 'media_unreadable' then 'Bring the store of media back.'
    when 'link_unreadable' then 'Check the link, and whether its host answers strangers.'
    when 'media_not_ready' then 'Nothing has to be done: the platform still processes the upload.'
    when 'upload_failed' then 'Nothing has to be done: nothing is in the chat yet.'
    else case
      when p_error ->> 'scope' = 'channel' then 'Do in the chat what the platform asks for.'
      when p_error ->> 'category' = 'PERMANENT' then 'Read what the platform said, and correct the post.'
      else 'Nothing has to be done unless it goes on: then read what the platform said.'
    end
  end;
