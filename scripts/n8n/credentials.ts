// The three credentials that the workflows refer to, as `n8n import:credentials` takes them.

export interface Secrets {
  /** A login that is a member of outrider_service and of nothing else. */
  readonly outriderUrl: string;
  readonly gatewayToken: string;
  /** What a call of a "run now" webhook has to carry. */
  readonly runNowToken: string;
}

/** n8n encrypts them when it imports them. */
export function credentialsFor({ outriderUrl, gatewayToken, runNowToken }: Secrets): object[] {
  const { hostname, port, pathname, username, password } = new URL(outriderUrl);
  return [
    {
      id: 'outriderPostgres',
      name: 'Outrider: PostgreSQL',
      type: 'postgres',
      data: {
        host: hostname,
        port: Number(port),
        database: pathname.slice(1),
        user: decodeURIComponent(username),
        password: decodeURIComponent(password),
        maxConnections: 10,
        ssl: 'disable',
        allowUnauthorizedCerts: false,
        sshTunnel: false,
      },
    },
    {
      id: 'outriderGateway',
      name: 'Outrider: gateway',
      type: 'httpBearerAuth',
      data: { token: gatewayToken },
    },
    {
      id: 'outriderRunNow',
      name: 'Outrider: run now',
      type: 'httpHeaderAuth',
      data: { name: 'x-run-now', value: runNowToken },
    },
  ];
}
