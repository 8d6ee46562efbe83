// The environment of an n8n that works for Outrider: its own database, no calls to the outside, no accounts to click through.

/** Where n8n is, and what it works with. */
export interface N8nPlace {
  /** n8n's own database, in which it keeps workflows, credentials and runs. */
  readonly databaseUrl: string;
  /** For files; the key that credentials are encrypted with is not among them. */
  readonly folder: string;
  readonly port: number;
  /** Of the process that runs code; n8n starts it even where no workflow has any. */
  readonly brokerPort: number;
  readonly gatewayUrl: string;
  readonly encryptionKey: string;
  /** A login for the editor; without it n8n asks for one at the first visit. */
  readonly owner?: { readonly email: string; readonly passwordHash: string } | undefined;
  /** `vm` is n8n's own choice; `legacy` is about three times as fast, and isolates expressions less. */
  readonly expressionEngine?: 'vm' | 'legacy' | undefined;
}

/** What n8n has modules for and Outrider has no use of. */
const unused = [
  'mcp-registry',
  'instance-ai',
  'agents',
  'chat-hub',
  'mcp',
  'oauth-server',
  'workflow-builder',
  'quick-connect',
  'sso-oidc',
  'sso-saml',
  'ldap',
  'source-control',
  'external-secrets',
  'otel',
  'insights',
  'token-exchange',
  'workflow-reviews',
  'provisioning',
  'log-streaming',
  'favorites',
  'breaking-changes',
];

export function environmentOf(place: N8nPlace): Record<string, string> {
  const { hostname, port, pathname, username, password } = new URL(place.databaseUrl);
  const { owner } = place;
  return {
    // Otherwise it shows a trace of its code to whoever sends what it cannot read.
    NODE_ENV: 'production',
    // What the workflows need.
    OUTRIDER_GATEWAY_URL: place.gatewayUrl,
    N8N_BLOCK_ENV_ACCESS_IN_NODE: 'false',
    // Its own database.
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: hostname,
    DB_POSTGRESDB_PORT: port,
    DB_POSTGRESDB_DATABASE: pathname.slice(1),
    DB_POSTGRESDB_USER: decodeURIComponent(username),
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(password),
    DB_POSTGRESDB_POOL_SIZE: '10',
    // Where it listens, and where its files are.
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_HOST: '127.0.0.1',
    N8N_PORT: String(place.port),
    N8N_RUNNERS_BROKER_PORT: String(place.brokerPort),
    N8N_USER_FOLDER: place.folder,
    N8N_ENCRYPTION_KEY: place.encryptionKey,
    N8N_SECURE_COOKIE: 'false',
    GENERIC_TIMEZONE: 'UTC',
    TZ: 'UTC',
    ...(place.expressionEngine === undefined
      ? {}
      : { N8N_EXPRESSION_ENGINE: place.expressionEngine }),
    ...(owner === undefined
      ? {}
      : {
          N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
          N8N_INSTANCE_OWNER_EMAIL: owner.email,
          N8N_INSTANCE_OWNER_PASSWORD_HASH: owner.passwordHash,
        }),
    // Runs that are over are forgotten after an hour: the record is in Outrider's events.
    EXECUTIONS_DATA_MAX_AGE: '1',
    EXECUTIONS_DATA_HARD_DELETE_BUFFER: '1',
    // Nothing calls out.
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
    N8N_DYNAMIC_BANNERS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
    N8N_DISABLED_MODULES: unused.join(','),
  };
}
