// The environment variables of Outrider: how each is read, and what it means. `npm run environment` writes the words
// into docs/operations.md and .env.example.

import { isIP } from 'node:net';
import { z } from 'zod';
import { type LogLevel, logLevels } from './log.ts';

const publishOrders = ['none', 'aggregate'] as const;
export type PublishOrder = (typeof publishOrders)[number];

const metricsAccesses = ['local', 'open', 'off'] as const;
/** Who may read `/metrics`: this machine alone, everybody who reaches the server, or nobody, as there are none. */
export type MetricsAccess = (typeof metricsAccesses)[number];

/** A variable in words. */
export interface VariableWords {
  /** A sentence without its full stop, in Markdown as it stands in docs/operations.md. */
  readonly meaning: string;
  /** As somebody would write it; undefined: there is none. */
  readonly default?: string | undefined;
  /** A value to show where there is no default. */
  readonly example?: string | undefined;
  /** Another name of the variable. It counts where ours is not set. */
  readonly otherName?: string | undefined;
}

/** The words of each variable, by its schema. */
const variableWords = z.registry<VariableWords>();

export function wordsOf(schema: z.ZodType): VariableWords {
  const words = variableWords.get(schema);
  if (words === undefined) throw new Error('a variable has no words');
  return words;
}

// An empty variable counts as unset: that is how compose files and CI leave optional ones.
const given = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value.trim() === '' ? undefined : value.trim()));

// Each variable has a schema of its own, which its words belong to.
function text(words: VariableWords) {
  return given.transform((value) => value).register(variableWords, words);
}

function textOr(usual: string, words: VariableWords) {
  return given
    .transform((value) => value ?? usual)
    .register(variableWords, { ...words, default: usual });
}

function list(words: VariableWords) {
  return given.transform(entriesOf).register(variableWords, words);
}

function entriesOf(value: string | undefined): string[] {
  return (value ?? '').split(/[\s,]+/).filter((each) => each !== '');
}

/** Host names, or host:port, as a URL writes them. */
function hosts(words: VariableWords) {
  return given
    .transform(entriesOf)
    .refine(
      (entries) => entries.every(isHost),
      'must list host names or host:port, without http:// and path, with blanks or commas between',
    )
    .register(variableWords, words);
}

function isHost(entry: string): boolean {
  const isBareIPv6 = isIP(entry) === 6;
  const url = URL.parse(`http://${isBareIPv6 ? `[${entry}]` : entry}`);
  return url !== null && url.href === `http://${url.host}/`;
}

/** Addresses, or networks in CIDR. */
function networks(words: VariableWords) {
  return given
    .transform(entriesOf)
    .refine(
      (entries) => entries.every(isNetwork),
      'must list addresses, or networks such as 10.0.0.0/8, with blanks or commas between',
    )
    .register(variableWords, words);
}

function isNetwork(entry: string): boolean {
  const [, address = '', bits = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 6 ? 128 : 32);
}

/** The name of a header, in lower case. */
function headerName(usual: string, words: VariableWords) {
  return given
    .refine(
      (value) => value === undefined || /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(value),
      'must be the name of a header',
    )
    .transform((value) => value?.toLowerCase() ?? usual)
    .register(variableWords, { ...words, default: usual });
}

function whole(bounds: { min: number; max: number; default: number }, words: VariableWords) {
  const { min, max, default: usual } = bounds;
  const schema = given.transform((value, context): number => {
    if (value === undefined) return usual;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    context.addIssue(`must be a whole number from ${min} to ${max}`);
    return z.NEVER;
  });
  const meaning = `${words.meaning} (${min} to ${max})`;
  return schema.register(variableWords, { ...words, meaning, default: String(usual) });
}

function oneOf<Value extends string>(values: readonly Value[], usual: Value, words: VariableWords) {
  const schema = given.transform((value, context): Value => {
    const known = values.find((each) => each === (value ?? usual));
    if (known !== undefined) return known;
    context.addIssue(`must be one of ${values.join(', ')}`);
    return z.NEVER;
  });
  return schema.register(variableWords, { ...words, default: usual });
}

function databaseAddress(words: VariableWords) {
  const scheme = /^postgres(ql)?:\/\//;
  return given
    .refine((value) => value === undefined || scheme.test(value), 'must be a postgres:// address')
    .refine(
      (value) => value === undefined || !scheme.test(value) || URL.canParse(value),
      'cannot be read as an address: in a password, write %2F for /, %3F for ?, %23 for # and so on',
    )
    .register(variableWords, words);
}

/** The address of a server that speaks HTTP. */
export function httpAddress(words: VariableWords) {
  return given
    .refine(
      (value) => value === undefined || (/^https?:\/\//.test(value) && URL.canParse(value)),
      'must be an http:// or https:// address',
    )
    .register(variableWords, words);
}

function mailAddress(words: VariableWords) {
  return given
    .refine(
      (value) => value === undefined || (/^smtps?:\/\//.test(value) && URL.canParse(value)),
      'must be an smtp:// or smtps:// address; in a password, write %2F for /, %3F for ?, %23 for # and so on',
    )
    .register(variableWords, words);
}

/** Ends in a "/" where there is one. None of its characters has to be escaped, in an address or in XML. */
function keyPrefix(words: VariableWords) {
  return given
    .refine(
      (value) => value === undefined || /^[\w.-][\w./-]{0,199}$/.test(value),
      'must be up to 200 letters, digits, "_", ".", "-" and "/", and not begin with "/"',
    )
    .transform((value) => (value === undefined ? '' : value.replace(/\/*$/, '/')))
    .register(variableWords, words);
}

export const environment = z.object({
  DATABASE_URL: databaseAddress({
    meaning:
      'the PostgreSQL to use, 15 to 18; without it Outrider runs a PostgreSQL of its own in the data folder',
    example: 'postgresql://user:password@host:5432/database',
  }),
  OUTRIDER_DATA_DIR: textOr('.outrider', {
    meaning:
      'the data folder: `media/`, `postgres/` for a PostgreSQL of its own, and `sandbox.json` while `up --sandbox` ' +
      'runs; a folder that is named here and cannot be used is refused',
  }),
  OUTRIDER_WORKSPACE: text({
    meaning: 'the default workspace of commands without `--workspace`',
    example: 'city',
  }),
  OUTRIDER_HOST: textOr('127.0.0.1', {
    meaning: 'where the HTTP server listens; `0.0.0.0` for all addresses',
  }),
  OUTRIDER_PORT: whole(
    { min: 0, max: 65_535, default: 8080 },
    // Platforms that host services name the port so.
    { meaning: 'the port of the HTTP server; `0` for any free one', otherName: 'PORT' },
  ),
  OUTRIDER_ALLOWED_HOSTS: list({
    meaning:
      '[host names](http.md#host-names) that requests may be for besides those of this machine, with commas between: ' +
      'the public name, where a proxy passes it on to a server that listens on 127.0.0.1',
    example: 'news.example,api.example',
  }),
  OUTRIDER_HTTP_CONNECTIONS: whole(
    { min: 10, max: 100_000, default: 1000 },
    { meaning: 'the most connections that the HTTP server has at once' },
  ),
  OUTRIDER_LOG_LEVEL: oneOf<LogLevel>(logLevels, 'info', {
    meaning: 'the least that is logged: `debug`, `info`, `warn`, `error`, or `silent` for nothing',
  }),
  OUTRIDER_CONCURRENCY: whole(
    { min: 1, max: 10_000, default: 500 },
    {
      meaning: 'the most sends at once of one dispatcher, and its most connections to one provider',
    },
  ),
  OUTRIDER_CLAIM_AHEAD: whole(
    { min: 0, max: 10_000, default: 500 },
    {
      meaning:
        'the most deliveries that a dispatcher [claims beyond those](#size); they wait in memory until a ' +
        'send ends',
    },
  ),
  OUTRIDER_DRAIN_SECONDS: whole(
    { min: 1, max: 3600, default: 25 },
    {
      meaning:
        'how long requests, and then sends under way, may go on when the process is ' +
        '[told to stop](#stopping)',
    },
  ),
  OUTRIDER_MEDIA_MAX_BYTES: whole(
    { min: 1, max: 2 ** 32, default: 50 * 1024 * 1024 },
    { meaning: 'the largest file that is fetched, or taken as an upload' },
  ),
  OUTRIDER_MEDIA_PRIVATE_HOSTS: hosts({
    meaning:
      'hosts, or `host:port`, that media may come from although they are not on the public internet; with commas ' +
      'between',
    example: 'media.local,10.0.0.7:9000',
  }),
  OUTRIDER_S3_BUCKET: text({
    meaning:
      'the bucket in which [media](media.md#in-s3) and raw payloads are kept; unset: the data folder',
    example: 'outrider-media',
  }),
  OUTRIDER_S3_ENDPOINT: httpAddress({
    meaning: 'the address of the S3-compatible server, without the bucket; unset: that of AWS',
    example: 'https://storage.yandexcloud.net',
  }),
  OUTRIDER_S3_REGION: textOr('us-east-1', { meaning: 'the region that its calls are signed for' }),
  OUTRIDER_S3_ACCESS_KEY_ID: text({
    meaning: 'the id of the access key',
    example: 'YCAJE0123456789',
  }),
  OUTRIDER_S3_SECRET_KEY_REF: text({
    meaning: 'where the secret key is read from, `env:NAME` or `file:PATH`',
    example: 'env:S3_SECRET_KEY',
  }),
  OUTRIDER_S3_PREFIX: keyPrefix({
    meaning: 'what the names of all objects begin with: letters, digits, `_`, `.`, `-` and `/`',
    example: 'outrider/',
  }),
  OUTRIDER_S3_FORCE_PATH_STYLE: oneOf<'true' | 'false'>(['true', 'false'], 'true', {
    meaning:
      '`true`: the bucket stands in the path of an address; `false`: it stands before the host name',
  }),
  OUTRIDER_PAYLOAD_KEY_REF: text({
    meaning:
      'where the [keys of raw payloads](privacy.md#keys) are read from, `env:NAME` or `file:PATH`; unset: none is kept',
    example: 'env:PAYLOAD_KEYS',
  }),
  OUTRIDER_GATEWAY_TOKEN_REF: text({
    meaning:
      'where the token of the [gateway](gateway.md) is read from, `env:NAME` or `file:PATH`; unset: there is no gateway',
    example: 'env:GATEWAY_TOKEN',
  }),
  OUTRIDER_METRICS: oneOf<MetricsAccess>(metricsAccesses, 'local', {
    meaning:
      'who may read [`/metrics`](metrics.md#who-may-read-them): `local` for this machine alone, `open` for everybody who ' +
      'reaches the server, `off` for nobody: nothing is measured',
  }),
  OUTRIDER_METRICS_TOKEN_REF: text({
    meaning:
      'where the token is read from that `/metrics` is shown for, `env:NAME` or `file:PATH`; then whoever has it may read ' +
      'them, and nobody else',
    example: 'file:/run/secrets/metrics-token',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: text({
    meaning:
      'the collector that [traces](metrics.md#traces) go to, over OTLP/HTTP; unset: nothing is traced',
    example: 'http://127.0.0.1:4318',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text({
    meaning: 'the same as a whole address, for traces alone',
    example: 'http://127.0.0.1:4318/v1/traces',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: text({
    meaning: 'headers of the calls to the collector, `name=value` with commas between',
    example: 'authorization=Bearer%20secret',
  }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: text({
    meaning: 'the same for traces alone',
    example: 'x-tenant=news',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: text({
    meaning:
      'how traces are sent: `http/json` or `http/protobuf`, which both mean JSON over HTTP; `grpc` is refused',
    example: 'http/json',
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: whole(
    { min: 1, max: 600_000, default: 10_000 },
    { meaning: 'how many milliseconds the collector may take for a call' },
  ),
  OTEL_SERVICE_NAME: text({
    meaning: 'the name of this service in traces; unset: `outrider`',
    example: 'outrider-dispatch',
  }),
  OTEL_RESOURCE_ATTRIBUTES: text({
    meaning: 'what else traces tell about this process, `name=value` with commas between',
    example: 'deployment.environment.name=production',
  }),
  OTEL_TRACES_SAMPLER: text({
    meaning:
      'which traces are kept: `always_on`, `always_off`, `traceidratio`, or one of these after `parentbased_`; unset: ' +
      '`parentbased_always_on`',
    example: 'parentbased_traceidratio',
  }),
  OTEL_TRACES_SAMPLER_ARG: text({
    meaning: 'the share that `traceidratio` keeps, 0 to 1; unset: 1',
    example: '0.1',
  }),
  OTEL_TRACES_EXPORTER: text({
    meaning: '`none`: nothing is traced, whatever else is set',
    example: 'otlp',
  }),
  OTEL_SDK_DISABLED: text({
    meaning: '`true`: nothing is traced, whatever else is set',
    example: 'false',
  }),
  OUTRIDER_STATUS_TOKEN_REF: text({
    meaning:
      'where the token of the [status page](status.md) is read from, `env:NAME` or `file:PATH`; it has 16 characters or more',
    example: 'env:STATUS_TOKEN',
  }),
  OUTRIDER_STATUS_PROXIES: networks({
    meaning:
      'addresses, or networks such as `10.0.0.0/8`, of [proxies that sign people in](status.md#behind-a-login-proxy) before ' +
      'they see the status page; with commas between',
    example: '10.0.0.4,fd00::/8',
  }),
  OUTRIDER_STATUS_USER_HEADER: headerName('x-forwarded-user', {
    meaning: 'the header in which such a proxy says who it has signed in',
  }),
  OUTRIDER_STATUS_OPEN: oneOf<'true' | 'false'>(['true', 'false'], 'false', {
    meaning:
      '`true`: who is on this machine sees the status page without a token; not where a proxy on this machine leads here',
  }),
  OUTRIDER_STATUS_WORKSPACES: list({
    meaning:
      'the workspaces that the status page shows, with commas between; unset: all, with processes and outbox',
    example: 'city,shop',
  }),
  OUTRIDER_CA_FILE: text({
    meaning:
      'a file of PEM certificates by which [providers](#max-and-its-certificate) are trusted besides the usual ones',
    example: '/etc/ssl/providers.pem',
  }),
  OUTRIDER_SMTP_URL: mailAddress({
    meaning:
      'the server of e-mails about [alerts](#alerts), `smtp://` or `smtps://`, with the login in it; a password goes over ' +
      'TLS only, unless the server is on this machine',
    example: 'smtp://user:password@mail.example:587',
  }),
  OUTRIDER_SMTP_FROM: text({
    meaning: 'the sender of these e-mails',
    example: 'outrider@example.org',
  }),
  OUTRIDER_ALERT_PRIVATE_HOSTS: hosts({
    meaning:
      'hosts, or `host:port`, that webhooks about alerts may go to although they are not on the public internet; with ' +
      'commas between',
    example: 'pager.local,10.0.0.7:9000',
  }),
  OUTRIDER_OUTBOX_BROKER: textOr('log:', {
    meaning:
      'where `outrider publish` carries events to: [the addresses](outbox.md#brokers); `log:` writes them to its own ' +
      'log',
  }),
  OUTRIDER_OUTBOX_PUBLISH_BATCH_SIZE: whole(
    { min: 1, max: 1000, default: 50 },
    {
      meaning: 'how many events a publisher takes at once',
      otherName: 'PACKFINDERZ_OUTBOX_PUBLISH_BATCH_SIZE',
    },
  ),
  OUTRIDER_OUTBOX_PUBLISH_POLL_MS: whole(
    { min: 10, max: 60_000, default: 500 },
    {
      meaning: 'the most milliseconds that a publisher sleeps when nothing wakes it',
      otherName: 'PACKFINDERZ_OUTBOX_PUBLISH_POLL_MS',
    },
  ),
  OUTRIDER_OUTBOX_MAX_ATTEMPTS: whole(
    { min: 1, max: 100, default: 10 },
    {
      meaning: 'after so many failures an event waits until it is replayed',
      otherName: 'PACKFINDERZ_OUTBOX_MAX_ATTEMPTS',
    },
  ),
  OUTRIDER_OUTBOX_ORDER: oneOf<PublishOrder>(publishOrders, 'none', {
    meaning:
      '`none`, or `aggregate`: an event waits until every earlier one of its aggregate is published',
  }),
  OUTRIDER_OUTBOX_IDEMPOTENCY_TTL_HOURS: whole(
    { min: 168, max: 720, default: 168 },
    {
      meaning: 'how many hours consumers remember what they have processed',
      otherName: 'PACKFINDERZ_OUTBOX_IDEMPOTENCY_TTL_HOURS',
    },
  ),
  OUTRIDER_OUTBOX_RETENTION_DAYS: whole(
    { min: 1, max: 36_500, default: 30 },
    {
      meaning:
        'how many days published events are kept, [where they are deleted](outbox.md#retention)',
    },
  ),
  OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF: text({
    meaning: 'where the secret is that webhooks are signed with: `env:NAME` or `file:PATH`',
    example: 'env:WEBHOOK_SECRET',
  }),
});
