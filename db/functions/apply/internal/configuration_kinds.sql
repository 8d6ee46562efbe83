-- What can be configured: the section of a document that holds a kind, the table that keeps it, and the
-- columns that a document may set. Columns that the queue itself writes are never among them.
create or replace function outrider.configuration_kinds()
  returns table (kind text, section text, table_name text, fields text[])
  language sql
  stable
as $$
  select
    k.kind, k.section, k.table_name,
    array(
      select a.attname::text from pg_attribute a
      where a.attrelid = format('outrider.%I', k.table_name)::regclass and a.attnum > 0 and not a.attisdropped
        and (a.attname = any (k.columns) or (k.columns is null and a.attname <> 'workspace_id'))
      order by a.attnum
    )
  from (
    values
      ('workspace', null, 'workspaces', array['name', 'status']),
      ('settings', 'settings', 'workspace_settings', null),
      ('endpoint', 'endpoints', 'workspace_endpoints', array[
        'kind', 'secret_hash', 'signing_secret_ref', 'enabled', 'ingress_rps', 'max_payload_bytes',
        'hash_drop_window_sec', 'meta', 'auth_ref']),
      ('credential', 'credentials', 'credential_bindings', array['platform', 'secret_ref']),
      ('rate_group', 'rate_groups', 'platform_limits', array['rate_rps']),
      ('template', 'templates', 'templates', array['body', 'defaults']),
      ('channel', 'channels', 'channels', array[
        'platform', 'target_id', 'auth_ref', 'rate_group', 'enabled', 'title', 'send_mode', 'rate_rps', 'max_parallel',
        'timezone', 'window_mode', 'posting_window', 'dedup_ttl_hours', 'settings', 'tags', 'route_filter',
        'template_ref']),
      ('pull_source', 'pull_sources', 'pull_sources', array['kind', 'config_json', 'enabled']),
      ('alert_target', 'alert_targets', 'alert_targets', array[
        'kind', 'enabled', 'min_severity', 'auth_ref', 'target_id', 'url', 'secret_ref', 'recipients']),
      ('bot_rule', 'bot_rules', 'bot_rules', array[
        'enabled', 'intent', 'pattern', 'priority', 'max_turns', 'response_template', 'next_state', 'from_state', 'buttons',
        'collect', 'retry_template', 'escalate', 'timeout'])
  ) as k (kind, section, table_name, columns);
$$;
