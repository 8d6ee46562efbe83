-- What comes in: media, pull sources and their cursors, runs, and the receipts that keep repeats out.

create table outrider.media_origin (
  workspace_id text collate "C" not null,
  blob_ref text collate "C" not null,
  origin_url text not null,
  sha256 text,
  content_type text,
  size_bytes bigint,
  last_seen_at timestamptz not null,
  ref_count bigint not null default 0,
  created_at timestamptz not null,

  constraint media_origin_pkey primary key (workspace_id, blob_ref),
  constraint media_origin_belongs_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint media_sizes_and_counts_are_not_negative
    check (coalesce(size_bytes, 0) >= 0 and ref_count >= 0),
  constraint media_sha256_is_hex check (sha256 ~ '^[0-9a-f]{64}$')
);

-- What nobody refers to any more, oldest first.
create index media_origin_unused_idx on outrider.media_origin (workspace_id, last_seen_at) where ref_count = 0;

-- A provider's copy of a blob. A file id belongs to the credential that made it.
create table outrider.media_blobs (
  workspace_id text collate "C" not null,
  blob_ref text collate "C" not null,
  provider text collate "C" not null,
  auth_ref text collate "C" not null,
  file_id text,
  url text,
  expires_at timestamptz,
  meta jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint media_blobs_pkey primary key (workspace_id, blob_ref, provider, auth_ref),
  constraint media_blobs_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint a_copy_can_be_referred_to check (file_id is not null or url is not null)
);

create table outrider.pull_sources (
  workspace_id text collate "C" not null,
  source_id text collate "C" not null,
  kind text collate "C" not null,
  config_json jsonb not null,
  enabled boolean not null default true,
  created_at timestamptz not null,

  constraint pull_sources_pkey primary key (workspace_id, source_id),
  constraint pull_sources_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint pull_source_config_is_an_object check (jsonb_typeof(config_json) = 'object'),
  constraint source_id_is_short check (length(source_id) between 1 and 200),
  constraint pull_source_kind_is_known check (kind in ('rss', 'api', 'db', 'vk_wall'))
);

create table outrider.pull_cursors (
  workspace_id text collate "C" not null,
  source_id text collate "C" not null,
  cursor_json jsonb not null,
  updated_at timestamptz not null,

  constraint pull_cursors_pkey primary key (workspace_id, source_id),
  constraint a_cursor_belongs_to_a_source
    foreign key (workspace_id, source_id) references outrider.pull_sources on delete cascade,
  constraint cursor_is_an_object check (jsonb_typeof(cursor_json) = 'object')
);

-- Items taken from a source. They never expire: a pinned or old item must not come back.
create table outrider.pull_receipts (
  workspace_id text collate "C" not null,
  source_id text collate "C" not null,
  item_ref text collate "C" not null,
  message_id uuid,
  received_at timestamptz not null,

  constraint pull_receipts_pkey primary key (workspace_id, source_id, item_ref),
  constraint a_pull_receipt_belongs_to_a_source
    foreign key (workspace_id, source_id) references outrider.pull_sources on delete cascade,
  constraint item_ref_is_short check (octet_length(item_ref) <= 512)
);

create type outrider.ingest_kind as enum ('push', 'pull');

create table outrider.ingest_runs (
  workspace_id text collate "C" not null,
  run_id text collate "C" not null,
  kind outrider.ingest_kind not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  stats_json jsonb not null default '{}',

  constraint ingest_runs_pkey primary key (workspace_id, run_id),
  constraint ingest_runs_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint a_run_ends_after_it_starts check (finished_at >= started_at),
  constraint run_stats_are_an_object check (jsonb_typeof(stats_json) = 'object')
);

create index ingest_runs_latest_idx on outrider.ingest_runs (workspace_id, started_at);

create table outrider.ingress_receipts (
  workspace_id text collate "C" not null,
  receipt_id bigint generated always as identity,
  endpoint_id text collate "C" not null,
  endpoint_kind outrider.endpoint_kind not null,
  source_ref text collate "C",
  payload_hash text collate "C" not null,
  received_at timestamptz not null,
  expires_at timestamptz not null,

  constraint ingress_receipts_pkey primary key (workspace_id, receipt_id),
  constraint a_receipt_belongs_to_an_endpoint
    foreign key (workspace_id, endpoint_id) references outrider.workspace_endpoints,
  constraint a_receipt_expires_after_it_is_given check (expires_at > received_at),
  constraint source_ref_is_short check (octet_length(source_ref) <= 512),
  -- Two posts without an id are not the same post.
  constraint an_empty_source_ref_is_none check (source_ref <> '')
);

-- An endpoint takes each source_ref once.
create unique index ingress_receipts_by_source_ref_idx
  on outrider.ingress_receipts (workspace_id, endpoint_id, source_ref) where source_ref is not null;
-- Has this endpoint seen this payload just now?
create index ingress_receipts_by_hash_idx
  on outrider.ingress_receipts (workspace_id, endpoint_id, payload_hash, received_at desc);
create index ingress_receipts_expired_idx on outrider.ingress_receipts (expires_at);

-- What admit_request decides about a request, with what the intake of its post needs to know.
create type outrider.admission as (
  verdict text,
  run_id text,
  retry_after_ms integer,
  endpoint outrider.workspace_endpoints,
  settings outrider.workspace_settings,
  is_active boolean,
  has_waited boolean
);

-- A post as the channels of one profile get it, or why they do not.
create type outrider.composed_post as (
  rendered_text text,
  render_meta jsonb,
  template_version text,
  fault text
);

-- What an enqueue finds out about one channel (judge_channels).
create type outrider.judged_channel as (
  channel_id text,
  rule text,
  twin uuid,
  twin_status outrider.delivery_status,
  until timestamptz,
  occurrence integer,
  profile integer,
  not_before timestamptz
);

-- One channel of those that compose a post alike, with its platform.
create type outrider.profile as (
  channel outrider.channels,
  platform outrider.platforms
);

-- A channel in which an enqueue may start a send: the steps by which the pace of the channel and of its group then
-- moves on, and what the sender needs to know about the channel.
create type outrider.startable_channel as (
  channel_id text,
  max_parallel integer,
  step interval,
  group_step interval,
  as_sent json
);
