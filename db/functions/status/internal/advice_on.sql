-- The command to look at a condition with, or to mend it; null where no command helps. It can be pasted into a shell as it is: where a
-- reason has to be given, its place is marked.
create or replace function outrider.advice_on(p_workspace_id text, p_condition outrider.alert_condition)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select 'outrider ' || x.command || case when x.of_workspace then ' --workspace ' || outrider.shell_word(p_workspace_id) else '' end
  from (
    select case p_condition.kind
        when 'dead_letters' then 'deliveries --status dead'
        when 'failed_permanent' then 'events --errors --since 30m'
        when 'validation_failed' then 'events --action validation_failed --since 1h'
        when 'paused_channels' then case when p_condition.detail ->> 'count' = '1'
          then 'channels resume ' || outrider.shell_word(p_condition.detail #>> '{channels,0}') || ' --reason "…"'
          else 'channels --state paused' end
        when 'channel_paused' then 'channels resume ' || outrider.shell_word(p_condition.subject) || ' --reason "…"'
        when 'channel_disabled' then 'channels enable ' || outrider.shell_word(p_condition.subject) || ' --reason "…"'
        when 'credential_refused' then 'auth check'
        when 'group_stopped' then 'rate-groups'
        when 'oldest_due' then 'deliveries show ' || (p_condition.detail ->> 'delivery_id')
        when 'stale_leases' then 'run dispatch'
        when 'nobody_sends' then 'run dispatch'
        when 'pull_lag' then 'sources test ' || outrider.shell_word(p_condition.subject)
        when 'source_failing' then 'sources test ' || outrider.shell_word(p_condition.subject)
        when 'outbox_lag' then 'outbox status'
        when 'bot_turns' then 'bot log'
        when 'bot_errors' then 'bot log --errors'
        when 'bot_dead_replies' then 'bot log --errors'
        when 'bot_fallbacks' then 'bot unmatched'
        when 'bot_escalations' then 'bot chats --handed-over'
        when 'bot_silence' then 'bot status'
        when 'alert_undelivered' then 'alerts targets'
      end as command,
      p_condition.kind not in ('stale_leases', 'nobody_sends', 'outbox_lag') as of_workspace
  ) x
  where x.command is not null;
$$;
