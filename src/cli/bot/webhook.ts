// Manages the webhooks of bots: where a platform brings what people write.

import type { Adapter, SendError, Webhook, WebhookCalls } from '../../adapters/adapter.ts';
import { adapterFor } from '../../adapters/adapter-for.ts';
import { botPlatforms } from '../../bot/platforms.ts';
import { type ListedCredential, listCredentials } from '../../db/inspect.ts';
import { findEndpoint } from '../../db/intake.ts';
import { InvalidInputError, NotFoundError } from '../../errors.ts';
import { hashOfSecret } from '../../ingest/secret.ts';
import { maskText } from '../../masking.ts';
import { openProviders } from '../../roles/providers.ts';
import { createSecrets, type Secrets } from '../../secrets.ts';
import { askingOptions, inWorkspace, type Place } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { thereAre } from '../given/nearest.ts';
import { flag, readOptions, text } from '../given/options.ts';
import { configOfServices } from '../sandbox/running.ts';
import { formOf } from '../screen/form.ts';
import { oneLine } from '../screen/shown-text.ts';
import { inSchemaNames, printJson } from '../screen/table.ts';

const options = { ...askingOptions, url: text, secret: text, 'dry-run': flag } as const;

/** Nobody looks at a terminal for longer than this. */
const patienceMs = 20_000;

interface Bot {
  readonly credential: ListedCredential;
  readonly adapters: Readonly<Record<string, Adapter>>;
  readonly secrets: Secrets;
}

/** What was done about one webhook, as the command tells it. */
interface Told {
  readonly authRef: string;
  readonly platform: string;
  readonly url: string | null;
  readonly verdict: string;
  readonly note: string | null;
}

export async function subscribed(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const base = addressOf(values.url);
  const { secret: ref } = values;
  if (ref === undefined) {
    throw new UsageError('which secret? --secret env:NAME or file:PATH says where it is read');
  }
  const told = await withBot(terminal, values.workspace, positionals, async (place, bot) => {
    const { credential, secrets } = bot;
    const read = await secrets.ofReference(ref, '--secret');
    if (!read.ok) throw new InvalidInputError(`the secret cannot be read: ${read.reason}`);
    const calls = webhooksOf(bot);
    await requireEndpoint(place, credential, read.secret, calls);
    const url = webhookUrl(base, credential.platform);
    if (values['dry-run']) return tellOf(credential, url, 'would_be_subscribed');
    const token = await tokenOf(bot);
    const signal = AbortSignal.timeout(patienceMs);
    const done = await calls.subscribe(token, { url, secret: read.secret }, signal);
    return done.ok
      ? tellOf(credential, url, 'subscribed')
      : tellOf(credential, url, 'refused', inWords(done.error));
  });
  return print(terminal, [told], form === 'json');
}

export async function unsubscribed(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const base = addressOf(values.url);
  const told = await withBot(terminal, values.workspace, positionals, async (_place, bot) => {
    const { credential } = bot;
    const calls = webhooksOf(bot);
    const url = webhookUrl(base, credential.platform);
    if (values['dry-run']) return tellOf(credential, url, 'would_be_unsubscribed');
    const token = await tokenOf(bot);
    const done = await calls.unsubscribe(token, url, AbortSignal.timeout(patienceMs));
    return done.ok
      ? tellOf(credential, url, 'unsubscribed')
      : tellOf(credential, url, 'refused', inWords(done.error));
  });
  return print(terminal, [told], form === 'json');
}

export async function webhookStatus(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, askingOptions);
  const form = formOf(terminal, values);
  const told = await withBots(terminal, values.workspace, positionals, async (_place, bots) => {
    const lists = await Promise.all(bots.map(statusOf));
    return lists.flat();
  });
  return print(terminal, told, form === 'json');
}

async function statusOf(bot: Bot): Promise<Told[]> {
  const { credential } = bot;
  const read = await bot.secrets.ofCredential(credential);
  if (!read.ok) return [tellOf(credential, null, 'not_asked', read.reason)];
  const found = await webhooksOf(bot).list(read.secret, AbortSignal.timeout(patienceMs));
  if (!found.ok) return [tellOf(credential, null, 'not_asked', inWords(found.error))];
  if (found.webhooks.length === 0) {
    return [tellOf(credential, null, 'none', 'outrider bot subscribe gives it one')];
  }
  return found.webhooks.map(({ url, notes }: Webhook) =>
    tellOf(credential, url, 'subscribed', notes.join('; ') || null),
  );
}

function tellOf(
  { authRef, platform }: ListedCredential,
  url: string | null,
  verdict: string,
  note: string | null = null,
): Told {
  return { authRef, platform, url, verdict, note };
}

function inWords({ code, message }: SendError): string {
  return maskText(`${code}: ${message}`);
}

/** The address without a slash at its end. */
function addressOf(given: string | undefined): string {
  if (given === undefined) {
    throw new UsageError('where? --url says how the platform reaches this server from outside');
  }
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--url ${given}: it is an address such as https://bot.example.org`);
  }
  // It is not shown: it may hold a password.
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--url may have no user and no password: --secret proves who calls');
  }
  if (/[?#]/.test(given)) {
    throw new UsageError('--url may have no query and no fragment: /v1/bot/… is added at its end');
  }
  return given.replace(/\/+$/, '');
}

function webhookUrl(base: string, platform: string): string {
  const path = `/v1/bot/${platform}`;
  return base.endsWith(path) ? base : `${base}${path}`;
}

async function tokenOf({ credential, secrets }: Bot): Promise<string> {
  const read = await secrets.ofCredential(credential);
  if (read.ok) return read.secret;
  throw new InvalidInputError(`credential ${credential.authRef} cannot be read: ${read.reason}`, {
    hint: 'run this with the environment of the process that answers',
  });
}

function webhooksOf({ credential: { platform }, adapters }: Bot): WebhookCalls {
  const calls = adapterFor(adapters, platform)?.webhooks;
  if (calls !== undefined) return calls;
  throw new InvalidInputError(`no bot can answer on ${platform}`, {
    hint: thereAre(botPlatforms.map(({ name }) => name)),
  });
}

/**
 * A secret that opens no endpoint of the workspace would have every update refused; at the endpoint of another bot, nobody would
 * answer.
 */
async function requireEndpoint(
  { client, workspaceId }: Place,
  { authRef }: ListedCredential,
  secret: string,
  { secretForm }: WebhookCalls,
): Promise<void> {
  if (!secretForm.test(secret)) {
    throw new InvalidInputError('the platform does not take this secret', {
      hint: 'take 5 to 256 letters, digits, _ and -',
    });
  }
  const secretHash = hashOfSecret(secret);
  const found = await findEndpoint(client, { kind: 'bot_webhook', secretHash });
  if (found?.workspaceId !== workspaceId) {
    throw new NotFoundError(`no endpoint of workspace ${workspaceId} has this secret`, {
      hint: 'apply a file with an endpoint of the kind bot_webhook that has the same secret',
    });
  }
  if (found.authRef === authRef) return;
  const answers = found.authRef === null ? 'answers nothing' : `answers with ${found.authRef}`;
  throw new InvalidInputError(
    `this secret is of endpoint ${found.endpointId}, which ${answers}, not with ${authRef}`,
    { hint: `take the secret of an endpoint that has auth_ref: ${authRef}` },
  );
}

function withBot<Result>(
  terminal: Terminal,
  workspace: string | undefined,
  names: readonly string[],
  work: (place: Place, bot: Bot) => Promise<Result>,
): Promise<Result> {
  const [name, ...more] = names;
  if (name === undefined) throw new UsageError('which bot? name its credential');
  if (more.length > 0) throw new UsageError('one credential at a time');
  return withBots(terminal, workspace, [name], (place, [bot]) => {
    if (bot === undefined) throw new NotFoundError(`there is no credential "${name}"`);
    return work(place, bot);
  });
}

/** The bots of these credentials; of all that can have a webhook when none is named. */
function withBots<Result>(
  terminal: Terminal,
  workspace: string | undefined,
  names: readonly string[],
  work: (place: Place, bots: readonly Bot[]) => Promise<Result>,
): Promise<Result> {
  return inWorkspace(terminal, workspace, async (place) => {
    const known = await listCredentials(place.client, place.workspaceId);
    const unknown = names.find((name) => !known.some(({ authRef }) => authRef === name));
    if (unknown !== undefined) {
      const refs = known.map(({ authRef }) => authRef);
      throw new NotFoundError(`there is no credential "${unknown}"`, {
        hint: refs.length === 0 ? 'there is none yet' : thereAre(refs),
      });
    }
    const config = await configOfServices(place.config, terminal);
    const providers = await openProviders(config);
    try {
      const { adapters } = providers;
      const secrets = createSecrets(config.secrets);
      const chosen = known.filter(({ authRef, platform }) =>
        names.length === 0
          ? adapterFor(adapters, platform)?.webhooks !== undefined
          : names.includes(authRef),
      );
      return await work(
        place,
        chosen.map((credential) => ({ credential, adapters, secrets })),
      );
    } finally {
      await providers.close();
    }
  });
}

/** Exit code 1: something was refused, could not be asked, or is missing. */
function print(terminal: Terminal, told: readonly Told[], asJson: boolean): number {
  if (asJson) printJson(terminal, told.map(inSchemaNames));
  else if (told.length === 0) terminal.out('There are no credentials of bots yet.');
  else {
    for (const { authRef, platform, url, verdict, note } of told) {
      const words = verdict === 'none' ? 'no webhook' : verdict.replaceAll('_', ' ');
      const where = url === null ? '' : ` ${url}`;
      const said = note === null ? '' : `; ${note}`;
      terminal.out(oneLine(`${authRef} (${platform}): ${words}${where}${said}`));
    }
  }
  const bad = ['refused', 'none', 'not_asked'];
  return told.some(({ verdict }) => bad.includes(verdict)) ? exitCodes.failed : exitCodes.ok;
}
