import { isUtf8 } from 'node:buffer';
import type { Config } from '../config.ts';
import { linkPayload, readPayload } from '../db/payloads.ts';
import { openPool, type Queryable } from '../db/pool.ts';
import { NotAllowedError, NotFoundError, OutriderError } from '../errors.ts';
import { type PayloadKeys, readPayloadKeys } from '../payloads/keys.ts';
import { createPayloadStore } from '../payloads/payload-store.ts';
import { openStores } from '../roles/configured-stores.ts';
import { createSecrets, type Secrets } from '../secrets.ts';
import {
  askingOptions,
  askingUsage,
  inWorkspace,
  type Place,
  subcommandOf,
  withHint,
} from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { type OrderGiven, orderOf } from './given/operator.ts';
import { readOptions, text } from './given/options.ts';
import { formOf } from './screen/form.ts';
import { lines } from './screen/shown-text.ts';
import { printJson } from './screen/table.ts';
import { parsedSpan } from './screen/times.ts';

const usage = `outrider payload show <payload> --reason R [options]
outrider payload link <payload> --reason R [--for 10m] [--url U] [options]

A raw payload is a request that was refused, or a platform's answer, as it came. It is kept encrypted for some days;
events name it (payload_ref), and outrider deliveries show does. Each reading is on record: who, when, which and why.

show      prints the payload: its head in the form of HTTP, then its body
link      makes a link by which it can be read over HTTP for a while, by whoever has the link, and prints it

The login in DATABASE_URL must be a member of outrider_privileged. show and the process that answers the link need the
keys (OUTRIDER_PAYLOAD_KEY_REF) and the media folder.

  --for SPAN      link: how long it is good, an hour at most (default: 10m)
  --url U         link: where the HTTP server is found (default: OUTRIDER_HOST and OUTRIDER_PORT)
  --reason R      why, for the record
  --operator O    who, for the record (default: the user of this machine)

${askingUsage}`;

export const payload: Command = {
  usage,
  async run(args, terminal) {
    const { name, rest } = subcommandOf(
      args,
      ['show', 'link'],
      (given) => `outrider payload show ${given}`,
    );
    return { show: shown, link: linked }[name](rest, terminal);
  },
};

const options = { ...askingOptions, reason: text, operator: text } as const;

interface Reading extends Omit<OrderGiven, 'dryRun'> {
  readonly payloadRef: string;
}

function readingOf(
  positionals: readonly string[],
  values: { readonly reason?: string | undefined; readonly operator?: string | undefined },
): Reading {
  const [payloadRef, ...more] = positionals;
  if (payloadRef === undefined) {
    throw new UsageError('which payload? events name it; outrider deliveries show does');
  }
  if (more.length > 0) throw new UsageError(`it takes one payload, not ${positionals.length}`);
  const { dryRun: _, ...order } = orderOf({ ...values, 'dry-run': false });
  return { payloadRef, ...order };
}

async function shown(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const reading = readingOf(positionals, values);
  const { bytes, ...facts } = await inWorkspace(terminal, values.workspace, (place) =>
    read(place, reading),
  );
  if (form === 'json') {
    const body = isUtf8(bytes)
      ? { text: bytes.toString('utf8') }
      : { base64: bytes.toString('base64') };
    printJson(terminal, { payload_ref: reading.payloadRef, ...facts, ...body });
  } else if (terminal.isTty) {
    for (const line of lines(bytes.toString('utf8'))) terminal.out(line);
  } else {
    terminal.bytes(bytes);
  }
  return exitCodes.ok;
}

async function read(
  place: Place,
  { payloadRef, ...who }: Reading,
): Promise<{ bytes: Buffer; kind: string; size_bytes: number; created_at: Date }> {
  const { workspaceId } = place;
  const { config } = place;
  const secrets = createSecrets(config.secrets);
  await using stores = openStores(config, secrets);
  const store = createPayloadStore(stores.payloads, await keysOf(config, secrets));
  const found = await asPrivileged(place, (client) =>
    readPayload(client, { workspaceId, payloadRef, ...who }),
  );
  const object = await store.open({ workspaceId, payloadRef }, found.objectUrl);
  if (object === undefined) {
    throw new NotFoundError('the object of the payload is gone', {
      hint: 'it was erased or has expired, or OUTRIDER_DATA_DIR is not that of the process that kept it',
    });
  }
  if (!object.ok) {
    const why =
      object.fault === 'damaged' ? 'it is damaged' : `its key ${object.keyId} is not there`;
    throw new OutriderError('invalid_input', `the payload cannot be decrypted: ${why}`, {
      hint: 'OUTRIDER_PAYLOAD_KEY_REF must list every key that payloads are still kept under',
    });
  }
  const { kind, sizeBytes: size_bytes, createdAt: created_at } = found;
  return { bytes: object.bytes, kind, size_bytes, created_at };
}

async function keysOf({ payloadKeyRef }: Config, secrets: Secrets): Promise<PayloadKeys> {
  const keys = await readPayloadKeys(payloadKeyRef, secrets);
  if (keys !== undefined) return keys;
  throw new OutriderError('configuration', 'there is no key to decrypt it with', {
    hint: 'set OUTRIDER_PAYLOAD_KEY_REF as for the process that kept it',
  });
}

async function linked(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, { ...options, for: text, url: text });
  const form = formOf(terminal, values);
  const reading = readingOf(positionals, values);
  const forMs = parsedSpan(values.for ?? '10m');
  if (forMs === undefined || forMs === 0 || forMs > 3_600_000) {
    throw new UsageError(`--for ${values.for}: it is a span such as 10m, an hour at most`);
  }
  if (values.url !== undefined && !/^https?:\/\/./.test(values.url)) {
    throw new UsageError(`--url ${values.url}: it is an address such as https://outrider.example`);
  }
  const url = await inWorkspace(terminal, values.workspace, async (place) => {
    const { config, workspaceId } = place;
    const token = await asPrivileged(place, (client) =>
      linkPayload(client, { workspaceId, ...reading, forSeconds: forMs / 1000 }),
    );
    const base = values.url ?? `http://${config.http.host}:${config.http.port}`;
    return `${base.replace(/\/+$/, '')}/v1/payloads/${workspaceId}.${token}`;
  });
  if (form === 'json') printJson(terminal, { url, for_seconds: forMs / 1000 });
  else terminal.out(url);
  return exitCodes.ok;
}

/** As the login itself: the role of the services may not. */
async function asPrivileged<Result>(
  { database }: Place,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const pool = openPool({ url: database.url, applicationName: 'outrider', max: 1, keep: 0 });
  try {
    return await withHint(work(pool), 'outrider deliveries show names the payloads of a delivery');
  } catch (error) {
    if (!(error instanceof NotAllowedError)) throw error;
    const login = decodeURIComponent(new URL(database.url).username);
    throw new NotAllowedError(`the login ${login} may not read raw payloads`, {
      hint: `let an administrator run: grant outrider_privileged to "${login}"`,
    });
  } finally {
    await pool.end();
  }
}
