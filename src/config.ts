// The configuration: read once from the environment, checked, frozen. Nothing else reads the environment.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { platforms } from './adapters/platforms.ts';
import {
  environment,
  httpAddress,
  type MetricsAccess,
  type PublishOrder,
  type VariableWords,
  wordsOf,
} from './environment.ts';
import { OutriderError } from './errors.ts';
import type { LogLevel } from './log.ts';
import type { TracingVariables } from './tracing-settings.ts';

const apiUrls = z.object(
  Object.fromEntries(
    platforms.map(({ title, apiUrl, apiUrlVariable }) => {
      const meaning = `where the API of ${title} is, if not at ${apiUrl}: a server of your own, or the sandbox`;
      return [apiUrlVariable, httpAddress({ meaning, example: 'http://127.0.0.1:8081' })];
    }),
  ),
);

/** Every variable that Outrider reads, with its words. */
export const variables: readonly (VariableWords & { readonly name: string })[] = [
  ...Object.entries(environment.shape),
  ...Object.entries(apiUrls.shape),
].map(([name, schema]) => ({ name, ...wordsOf(schema) }));

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Config {
  /** The PostgreSQL to use; undefined: the embedded one. */
  readonly databaseUrl: string | undefined;
  /** The folder of everything that Outrider keeps outside of PostgreSQL, and of the embedded PostgreSQL. */
  readonly dataDir: string;
  /** Whether somebody has chosen that folder. Then nothing is kept anywhere else. */
  readonly isDataDirChosen: boolean;
  /** The embedded server's folder. */
  readonly postgresDir: string;
  /** The origin store's folder. */
  readonly mediaDir: string;
  /** The default workspace of commands without `--workspace`. */
  readonly workspace: string | undefined;
  /** Where the HTTP server listens. */
  readonly http: {
    readonly host: string;
    readonly port: number;
    /** Host names that requests may be for besides those of the loopback. */
    readonly allowedHosts: readonly string[];
    /** The most connections at once. */
    readonly connections: number;
  };
  readonly logLevel: LogLevel;
  /** The most sends at once of one dispatcher. */
  readonly concurrency: number;
  /** The most deliveries that one dispatcher claims beyond those. */
  readonly claimAhead: number;
  /** How long a service that is told to stop waits for what is under way. */
  readonly drainMs: number;
  readonly media: {
    readonly maxBytes: number;
    /** Hosts that media may come from although they have private addresses. */
    readonly privateHosts: readonly string[];
  };
  /** Where media and raw payloads are kept, if not in the folder. */
  readonly s3: {
    /** Undefined: they are kept in the folder. */
    readonly bucket: string | undefined;
    /** Undefined: that of AWS. */
    readonly endpoint: string | undefined;
    readonly region: string;
    readonly accessKeyId: string | undefined;
    /** The reference of the secret key. */
    readonly secretKeyRef: string | undefined;
    /** What the keys of all objects begin with: nothing, or ending in "/". */
    readonly prefix: string;
    readonly forcePathStyle: boolean;
  };
  /** Where the keys are that raw payloads are encrypted with; undefined: none is kept. */
  readonly payloadKeyRef: string | undefined;
  /** Where the token of the gateway is; undefined: there is no gateway. */
  readonly gatewayTokenRef: string | undefined;
  readonly metrics: {
    readonly access: MetricsAccess;
    /** Where the token is that `/metrics` is shown for; undefined: there is none. */
    readonly tokenRef: string | undefined;
  };
  /** Where traces go. The headers may hold a secret: never printed. */
  readonly tracing: TracingVariables;
  /** Who may see the status page; nobody unless one of these says so. */
  readonly status: {
    /** Where its token is. */
    readonly tokenRef: string | undefined;
    /** Addresses and networks of proxies that sign people in. */
    readonly proxies: readonly string[];
    /** The header in which they say whom, in lower case. */
    readonly userHeader: string;
    /** Whether who is on this machine needs nothing. */
    readonly isOpen: boolean;
    /** The workspaces that it shows; none named: all. */
    readonly workspaces: readonly string[];
  };
  /** Extra CA certificates (PEM) to trust for the platforms' servers. */
  readonly caFile: string | undefined;
  /** The address of each platform's API, by platform; undefined: the platform's own address. */
  readonly apiUrls: Readonly<Record<string, string | undefined>>;
  readonly alerts: {
    /** The server that e-mails go through. It may hold a password: never printed. */
    readonly smtpUrl: string | undefined;
    /** The sender of e-mails. */
    readonly smtpFrom: string | undefined;
    /** Hosts that webhooks may go to although their addresses are private. */
    readonly privateHosts: readonly string[];
  };
  readonly outbox: {
    /** The address of the broker. It may hold a password, and is never printed. */
    readonly broker: string;
    readonly batchSize: number;
    readonly pollMs: number;
    /** An event that has failed so often waits until it is replayed. */
    readonly maxAttempts: number;
    readonly order: PublishOrder;
    /** How long consumers remember what they have processed. */
    readonly idempotencyTtlMs: number;
    /** How many days events are kept after they were published. */
    readonly retentionDays: number;
    /** The reference of the secret that webhooks are signed with. */
    readonly webhookSecretRef: string | undefined;
  };
  /** What `env:NAME` of a secret_ref refers to. Never printed. */
  readonly secrets: Environment;
}

export function loadConfig(env: Environment = process.env, cwd = process.cwd()): Config {
  const names = namesGiven(env);
  const given = Object.entries(names).map(([ours, theirs]) => [ours, env[theirs]] as const);
  const parsed = environment.safeParse({ ...env, ...Object.fromEntries(given) });
  const urls = apiUrls.safeParse(env);
  if (!parsed.success || !urls.success) {
    const issues = [...(parsed.error?.issues ?? []), ...(urls.error?.issues ?? [])];
    // The values are not quoted: an address carries a password.
    const faults = issues.map(({ path: [name = ''], message }) => {
      return `${names[String(name)] ?? String(name)} ${message}`;
    });
    throw new OutriderError('configuration', faults.join('; '), {
      hint: 'correct the environment variable (or its line in .env) and start again',
    });
  }
  const { data } = parsed;
  if (data.OUTRIDER_CA_FILE !== undefined) requireCertificate(data.OUTRIDER_CA_FILE, cwd);
  const dataDir = path.resolve(cwd, data.OUTRIDER_DATA_DIR);
  return Object.freeze({
    databaseUrl: data.DATABASE_URL,
    dataDir,
    isDataDirChosen: isGiven(env, 'OUTRIDER_DATA_DIR'),
    postgresDir: path.join(dataDir, 'postgres'),
    mediaDir: path.join(dataDir, 'media'),
    workspace: data.OUTRIDER_WORKSPACE,
    http: Object.freeze({
      host: data.OUTRIDER_HOST,
      port: data.OUTRIDER_PORT,
      allowedHosts: Object.freeze(data.OUTRIDER_ALLOWED_HOSTS),
      connections: data.OUTRIDER_HTTP_CONNECTIONS,
    }),
    logLevel: data.OUTRIDER_LOG_LEVEL,
    concurrency: data.OUTRIDER_CONCURRENCY,
    claimAhead: data.OUTRIDER_CLAIM_AHEAD,
    drainMs: data.OUTRIDER_DRAIN_SECONDS * 1000,
    media: Object.freeze({
      maxBytes: data.OUTRIDER_MEDIA_MAX_BYTES,
      privateHosts: Object.freeze(data.OUTRIDER_MEDIA_PRIVATE_HOSTS),
    }),
    s3: Object.freeze({
      bucket: data.OUTRIDER_S3_BUCKET,
      endpoint: data.OUTRIDER_S3_ENDPOINT,
      region: data.OUTRIDER_S3_REGION,
      accessKeyId: data.OUTRIDER_S3_ACCESS_KEY_ID,
      secretKeyRef: data.OUTRIDER_S3_SECRET_KEY_REF,
      prefix: data.OUTRIDER_S3_PREFIX,
      forcePathStyle: data.OUTRIDER_S3_FORCE_PATH_STYLE === 'true',
    }),
    payloadKeyRef: data.OUTRIDER_PAYLOAD_KEY_REF,
    gatewayTokenRef: data.OUTRIDER_GATEWAY_TOKEN_REF,
    metrics: Object.freeze({
      access: data.OUTRIDER_METRICS,
      tokenRef: data.OUTRIDER_METRICS_TOKEN_REF,
    }),
    tracing: Object.freeze({
      endpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
      tracesEndpoint: data.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
      headers: data.OTEL_EXPORTER_OTLP_HEADERS,
      tracesHeaders: data.OTEL_EXPORTER_OTLP_TRACES_HEADERS,
      protocol: data.OTEL_EXPORTER_OTLP_PROTOCOL,
      timeoutMs: data.OTEL_EXPORTER_OTLP_TIMEOUT,
      serviceName: data.OTEL_SERVICE_NAME,
      resourceAttributes: data.OTEL_RESOURCE_ATTRIBUTES,
      sampler: data.OTEL_TRACES_SAMPLER,
      samplerArg: data.OTEL_TRACES_SAMPLER_ARG,
      exporter: data.OTEL_TRACES_EXPORTER,
      sdkDisabled: data.OTEL_SDK_DISABLED,
    }),
    status: Object.freeze({
      tokenRef: data.OUTRIDER_STATUS_TOKEN_REF,
      proxies: Object.freeze(data.OUTRIDER_STATUS_PROXIES),
      userHeader: data.OUTRIDER_STATUS_USER_HEADER,
      isOpen: data.OUTRIDER_STATUS_OPEN === 'true',
      workspaces: Object.freeze(data.OUTRIDER_STATUS_WORKSPACES),
    }),
    caFile: data.OUTRIDER_CA_FILE,
    apiUrls: Object.freeze(
      Object.fromEntries(
        platforms.map(({ name, apiUrlVariable }) => [name, urls.data[apiUrlVariable]]),
      ),
    ),
    alerts: Object.freeze({
      smtpUrl: data.OUTRIDER_SMTP_URL,
      smtpFrom: data.OUTRIDER_SMTP_FROM,
      privateHosts: Object.freeze(data.OUTRIDER_ALERT_PRIVATE_HOSTS),
    }),
    outbox: Object.freeze({
      broker: data.OUTRIDER_OUTBOX_BROKER,
      batchSize: data.OUTRIDER_OUTBOX_PUBLISH_BATCH_SIZE,
      pollMs: data.OUTRIDER_OUTBOX_PUBLISH_POLL_MS,
      maxAttempts: data.OUTRIDER_OUTBOX_MAX_ATTEMPTS,
      order: data.OUTRIDER_OUTBOX_ORDER,
      idempotencyTtlMs: data.OUTRIDER_OUTBOX_IDEMPOTENCY_TTL_HOURS * 3_600_000,
      retentionDays: data.OUTRIDER_OUTBOX_RETENTION_DAYS,
      webhookSecretRef: data.OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF,
    }),
    secrets: env,
  });
}

/** Throws for a file that holds no certificate. One that cannot be read is reported by the roles that need it. */
function requireCertificate(file: string, cwd: string): void {
  let pem: string;
  try {
    pem = readFileSync(path.resolve(cwd, file), 'utf8');
  } catch {
    return;
  }
  if (isCertificate(pem)) return;
  throw new OutriderError('configuration', `OUTRIDER_CA_FILE: ${file} is not a PEM certificate`, {
    hint: 'it names a file that holds certificates, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
  });
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== '';
  } catch {
    return false;
  }
}

/** The variables that are given only under their other name: our name with that name. */
function namesGiven(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    variables.flatMap(({ name, otherName }) =>
      otherName !== undefined && isGiven(env, otherName) && !isGiven(env, name)
        ? [[name, otherName]]
        : [],
    ),
  );
}

/** Adds the lines of `.env` in the working directory to the environment. Variables that are set keep their values. */
export function loadEnvFile(file = '.env'): void {
  try {
    process.loadEnvFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw new OutriderError('configuration', `${file} cannot be read`, {
      hint: 'it holds lines of the form NAME=value',
    });
  }
}

/** Whether errors are to be printed with the place where they happened. */
export function isDebugging(): boolean {
  return process.env['OUTRIDER_LOG_LEVEL'] === 'debug';
}

/** Whether the terminal can only print line after line: no cursor that moves. */
export function isDumbTerminal(): boolean {
  return ['dumb', ''].includes(process.env['TERM'] ?? '');
}

function isGiven(env: Environment, name: string): boolean {
  return (env[name] ?? '').trim() !== '';
}
