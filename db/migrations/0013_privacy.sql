-- Raw requests and answers, which are kept encrypted outside of the database, who read them, and the erasing of what is
-- kept about one person.

grant usage on schema outrider to outrider_privileged;

alter type outrider.event_action add value 'payload_kept';
alter type outrider.event_action add value 'contact_erased';

alter table outrider.workspace_settings
  add column keep_payloads text not null default 'errors',
  add constraint keep_payloads_is_errors_or_all_or_none check (keep_payloads in ('errors', 'all', 'none'));

comment on column outrider.workspace_settings.keep_payloads is
  'Which raw requests and answers are kept, encrypted: errors (what was refused or failed), all or none.';

create type outrider.payload_kind as enum ('request', 'answer');
create type outrider.payload_reading as enum ('command', 'link');

-- Where a raw payload is kept. It has no foreign key to its delivery or message: those may be deleted before it.
create table outrider.raw_payloads (
  workspace_id text collate "C" not null,
  payload_ref text collate "C" not null,
  kind outrider.payload_kind not null,
  object_url text not null,
  key_id text collate "C" not null,
  size_bytes bigint not null,
  delivery_id uuid,
  message_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,

  constraint raw_payloads_pkey primary key (workspace_id, payload_ref),
  constraint raw_payloads_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint payload_ref_is_a_short_name check (payload_ref ~ '^[A-Za-z0-9-]{1,64}$'),
  constraint payload_size_is_not_negative check (size_bytes >= 0),
  constraint an_answer_names_its_delivery_and_a_request_has_none
    check ((kind = 'answer') = (delivery_id is not null)),
  constraint a_payload_expires_after_it_is_kept check (expires_at > created_at)
);

comment on table outrider.raw_payloads is
  'raw requests and answers, as events.payload_ref names them; the bytes are in the object store, encrypted';
comment on column outrider.raw_payloads.key_id is 'the key that the object is encrypted with';

-- Whose time is over.
create index raw_payloads_expired_idx on outrider.raw_payloads (expires_at);

-- Links by which a raw payload can be read over HTTP, for a while. The token itself is known to its maker only.
create table outrider.payload_links (
  workspace_id text collate "C" not null,
  token_hash text collate "C" not null,
  payload_ref text collate "C" not null,
  login name not null,
  operator text not null,
  reason text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,

  constraint payload_links_pkey primary key (workspace_id, token_hash),
  constraint a_link_leads_to_a_payload
    foreign key (workspace_id, payload_ref) references outrider.raw_payloads on delete cascade,
  constraint link_token_is_kept_as_a_sha256 check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint a_link_lasts_for_an_hour_at_most
    check (expires_at > created_at and expires_at <= created_at + interval '1 hour')
);

-- Who read a raw payload, when and why. It outlives the payload.
create table outrider.payload_reads (
  workspace_id text collate "C" not null,
  read_id bigint generated always as identity,
  payload_ref text collate "C" not null,
  reading outrider.payload_reading not null,
  login name not null,
  operator text not null,
  reason text not null,
  read_at timestamptz not null,

  constraint payload_reads_pkey primary key (workspace_id, read_id),
  constraint payload_reads_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint a_reading_says_who_and_why check (operator <> '' and reason <> '')
);

-- How a contact is looked for (contact_pattern).
create type outrider.contact_pattern as (
  -- Finds it in a text; what stands before it is its first group.
  exact text,
  -- Finds at least as much in the text of a JSON value, where characters are escaped.
  rough text
);

do $$
declare
  v_table text;
begin
  foreach v_table in array array['raw_payloads', 'payload_links', 'payload_reads'] loop
    execute format('alter table outrider.%I enable row level security', v_table);
    execute format('alter table outrider.%I force row level security', v_table);
    execute format(
      'create policy functions_act_for_the_workspace_they_checked on outrider.%I
         to outrider_owner using (true) with check (true)', v_table);
    execute format(
      'create policy services_see_every_workspace on outrider.%I
         for select to outrider_service using (true)', v_table);
    execute format(
      'create policy a_login_sees_its_workspaces on outrider.%I
         for select using (
           workspace_id in (
             select l.workspace_id from outrider.workspace_logins l where l.login = current_user))',
      v_table);
    execute format('grant select on outrider.%I to outrider_reader', v_table);
  end loop;
end;
$$;
