-- Adds to an error what the queue must know: `outcome` (refused, not_sent or unknown: may the post have arrived?) and
-- `cause` (pace, credential, outage, not_ready or sender; none: the post or the chat is at fault).
--
-- An error with an `outcome` is taken as it is. When the program gave none, the code decides both:
--
--   outcome_unknown, timeout, a 5xx status    unknown   outage
--   unreachable                               not_sent  outage
--   media_unreadable, aborted                 not_sent  sender
--   rate_limited, 429                         refused   pace
--   credential_refused                        refused   credential
--   media_not_ready                           refused   not_ready
--   any other                                 refused   pace, if it is TRANSIENT, of a channel or a platform, and names a
--                                                       time to come back at; else none
create or replace function outrider.complete_error(p_error jsonb)
  returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select case when p_error ->> 'outcome' is not null then p_error else
    jsonb_strip_nulls(jsonb_build_object(
      'cause', case
        when e.code in ('outcome_unknown', 'timeout', 'unreachable') or e.code like '5__' then 'outage'
        when e.code in ('media_unreadable', 'aborted') then 'sender'
        when e.code in ('rate_limited', '429') then 'pace'
        when e.code = 'credential_refused' then 'credential'
        when e.code = 'media_not_ready' then 'not_ready'
        when p_error ->> 'category' = 'TRANSIENT' and p_error ->> 'scope' in ('channel', 'platform')
          and p_error ->> 'retry_after_ms' is not null then 'pace'
      end))
    || p_error
    || jsonb_build_object('outcome', case
        when e.code in ('outcome_unknown', 'timeout') or e.code like '5__' then 'unknown'
        when e.code in ('unreachable', 'media_unreadable', 'aborted') then 'not_sent'
        else 'refused'
      end)
  end
  from (select p_error ->> 'code' as code) e;
$$;
