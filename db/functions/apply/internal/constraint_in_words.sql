-- Says what a violated constraint of the configuration asks for. A constraint that is not listed here is shown by its
-- name, which reads as a sentence. p_column: the column that must not be null, when that was violated.
create or replace function outrider.constraint_in_words(p_constraint text, p_column text)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select coalesce(
    (
      select w.words
      from (
        values
          ('workspace_id_is_a_short_slug',
            'its name in the document must be 1 to 64 letters, digits, "_", "." or "-", and begin with a letter or a digit'),
          ('workspace_has_a_name', 'name must have 1 to 200 characters'),
          ('max_attempts_is_positive', 'max_attempts must be 1 to 100'),
          ('backoff_grows_from_a_positive_base_to_its_cap',
            'backoff_base must be longer than 0, backoff_cap at least backoff_base, and backoff_factor 1 to 10'),
          ('backoff_jitter_is_a_share', 'backoff_jitter must be 0 to 0.9'),
          ('not_ready_backoff_is_a_window',
            'not_ready_backoff_min must be longer than 0, and not_ready_backoff_max at least as long'),
          ('penalties_are_positive',
            'pause_on_permanent_for and group_cooldown must be longer than 0, and disable_after_permanent_streak at least 1'),
          ('give_up_after_is_positive', 'give_up_after must be longer than 0, and at most 1000 years'),
          ('one_broken_channel_is_no_outage', 'outage_after_channels must be 2 to 1000'),
          ('claim_per_channel_is_positive', 'claim_per_channel must be 1 to 10000'),
          ('leases_are_positive',
            'sending_lease and claimed_lease must be longer than 0, and recovery_backoff not negative'),
          ('alert_thresholds_are_not_negative',
            'alert_failed_permanent_over and alert_paused_channels_over must not be negative'),
          ('keep_payloads_is_errors_or_all_or_none', 'keep_payloads must be errors, all or none'),
          ('retention_is_positive', 'every retention must be longer than 0, and large_video_bytes more than 0'),
          ('runs_are_kept_for_some_time', 'ingest_runs_retention must be longer than 0, and at most 1000 years'),
          ('no_event_outlives_its_delivery', 'events_retention must be no longer than deliveries_retention'),
          ('durations_are_within_a_thousand_years', 'no duration may be longer than 1000 years'),
          ('endpoint_id_is_short', 'its id must have 1 to 64 characters'),
          ('endpoint_secret_is_kept_as_a_sha256', 'secret_hash must be a SHA-256 in 64 lower-case hex digits'),
          ('endpoint_limits_are_positive',
            'ingress_rps and max_payload_bytes must be more than 0, and hash_drop_window_sec not negative'),
          ('endpoint_rate_is_at_least_one_in_eleven_days', 'ingress_rps must be at least 0.000001'),
          ('signing_secret_ref_points_to_a_secret', 'signing_secret_ref must be env:NAME or file:PATH'),
          ('workspace_endpoints_by_secret_idx', 'its secret opens another endpoint already; give each its own'),
          ('secret_ref_points_to_a_secret', 'secret_ref must be env:NAME or file:PATH'),
          ('group_rate_is_not_negative', 'rate_rps must not be negative'),
          ('group_rate_is_at_least_one_in_eleven_days', 'rate_rps must be 0 (no limit) or at least 0.000001'),
          ('template_id_is_a_short_slug',
            'its id must be 1 to 64 letters, digits, "_", "." or "-", and begin with a letter or a digit'),
          ('template_body_is_short', 'body must have 1 to 16384 characters'),
          ('one_channel_for_each_destination', 'target_id belongs to another channel of the same platform'),
          ('channel_names_are_short',
            'its id, auth_ref and rate_group must have 1 to 128 characters, and target_id 1 to 256'),
          ('rate_rps_is_not_negative', 'rate_rps must not be negative'),
          ('rate_rps_is_at_least_one_in_eleven_days', 'rate_rps must be 0 (no limit) or at least 0.000001'),
          ('max_parallel_is_positive', 'max_parallel must be 1 to 10000'),
          ('dedup_ttl_is_not_negative', 'dedup_ttl_hours must not be negative'),
          ('dedup_ttl_is_within_a_thousand_years', 'dedup_ttl_hours must be at most 8766000'),
          ('a_windowed_channel_has_its_windows_and_zone',
            'window_mode "windowed" needs a posting_window and a timezone'),
          ('posting_window_maps_weekdays_to_spans_of_time',
            'posting_window must map weekdays to spans of time, such as mon: [["09:00", "18:00"]]'),
          ('channel_tags_are_lower_case', 'tags must be in lower case'),
          ('route_filter_holds_lists_of_lower_case_tags',
            'route_filter may have include_any, include_all and exclude, each a list of tags in lower case'),
          ('channel_format_is_known', 'settings.parse_mode must be HTML, Markdown or None'),
          ('channel_policy_on_format_errors_is_known', 'settings.on_format_error must be fail or plain'),
          ('channel_values_are_an_object', 'settings.values must be a mapping'),
          ('channel_text_max_is_a_number_of_characters', 'settings.text_max must be a whole number from 1 to 65536'),
          ('channel_media_max_is_a_number_of_media', 'settings.media_max must be a whole number from 1 to 100'),
          ('channel_policy_on_media_is_known', 'settings.on_media must be fail or leave_out'),
          ('channel_timeout_is_1_to_120_seconds', 'settings.timeout must be a number of seconds from 1 to 120'),
          ('channel_jitter_is_at_most_a_minute', 'settings.jitter_ms must be a whole number from 0 to 60000'),
          ('channel_compares_posts_as_documented',
            'settings.similar may have within_hours (1 to 720), score (0.5 to 1), pictures (true or false) and same (a list of fields)'),
          ('template_ref_is_an_id_or_an_id_with_a_version', 'template_ref must be the id of a template, or id@version'),
          ('pull_source_kind_is_known', 'kind must be one of rss, api, db, vk_wall'),
          ('alert_spans_are_positive', 'every span of alerts must be longer than 0, and so must snapshot_every'),
          ('alert_spans_are_within_a_thousand_years', 'no span of alerts may be longer than 1000 years'),
          ('snapshots_are_a_minute_apart_or_more', 'snapshot_every must be 1 minute or more'),
          ('alert_target_id_is_short', 'its id must have 1 to 64 characters'),
          ('a_chat_and_no_other_target_has_a_credential_and_a_target_id',
            'auth_ref and target_id are needed for kind chat, and belong to no other kind'),
          ('a_webhook_and_no_other_target_has_a_url_and_a_secret',
            'url and secret_ref are needed for kind webhook, and belong to no other kind'),
          ('webhook_url_is_http_without_a_password', 'url must be an http:// or https:// address without a password'),
          ('webhook_secret_ref_points_to_a_secret', 'secret_ref must be env:NAME or file:PATH'),
          ('an_email_and_no_other_target_has_recipients',
            'recipients, 1 to 50, are needed for kind email, and belong to no other kind'),
          ('recipients_are_addresses', 'recipients must be e-mail addresses such as ops@example.org')
      ) as w (name, words)
      where w.name = p_constraint
    ),
    case p_column when 'secret_hash' then 'a secret is missing; give secret_ref or secret_hash' end,
    regexp_replace(nullif(p_column, ''), '_json$', '') || ' is missing',
    replace(p_constraint, '_', ' ')
  );
$$;
