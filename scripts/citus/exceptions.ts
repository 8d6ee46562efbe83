// What acts for a workspace without naming it, and why. The test refuses everything else.

/** Public functions that reach a workspace's rows and take no p_workspace_id; they run on the coordinator. */
export const functionsWithoutWorkspace: Readonly<Record<string, string>> = {
  admit_ingress: 'the secret alone tells the workspace',
  find_endpoint: 'the secret alone tells the workspace',
  ingest_push: 'the secret alone tells the workspace',
  apply_workspace: 'the document names the workspace',
  list_workspaces: 'lists them all',
  next_due_at: 'looks over all workspaces',
  next_workspaces: 'looks over all workspaces',
  stale_workspaces: 'looks over all workspaces',
  expired_payloads: 'looks over all workspaces',
  known_origins: 'looks over all workspaces',
  known_payload_objects: 'looks over all workspaces',
  ensure_event_partitions: 'makes tables, for all workspaces',
  dispatch_lag: 'looks over all workspaces',
  alerting_workspaces: 'looks over all workspaces',
  claim_pull_source: 'looks over all workspaces',
  take_samples: 'looks over all workspaces',
  claim_notifications: 'looks over all workspaces',
  undelivered_alerts: 'looks over all workspaces',
  purge_expired: 'looks over all workspaces',
  restart_sweeps: 'looks over all workspaces',
  claim_bot_replies: 'looks over all workspaces',
  next_bot_reply_at: 'looks over all workspaces',
  pending_bot_turns: 'looks over all workspaces',
  recover_bot_replies: 'looks over all workspaces',
  count_metrics: 'looks over all workspaces',
  read_metrics: 'looks over all workspaces',
  warm_up: 'makes a workspace that nobody sees, and undoes it',
};

/** Unique keys of a workspace's tables without workspace_id: such a table is copied to every node. */
export const keysWithoutWorkspace: Readonly<Record<string, string>> = {
  workspace_endpoints_by_secret_idx: 'the secret alone tells the workspace',
};
