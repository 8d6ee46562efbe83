// Asks the platforms which account each credential of a workspace belongs to.

import { adapterFor } from '../../adapters/adapter-for.ts';
import { credentialName, refusedCredential } from '../../adapters/credentials.ts';
import { type ListedCredential, listCredentials } from '../../db/inspect.ts';
import { type OpenedGroup, reopenCredential } from '../../db/operate.ts';
import { NotFoundError } from '../../errors.ts';
import { maskText } from '../../masking.ts';
import { openProviders, type Providers } from '../../roles/providers.ts';
import { createSecrets, type Secrets } from '../../secrets.ts';
import { askingOptions, inWorkspace, type Place } from '../asking.ts';
import { exitCodes, type Terminal } from '../command.ts';
import { thereAre } from '../given/nearest.ts';
import { userName } from '../given/operator.ts';
import { readOptions } from '../given/options.ts';
import { configOfServices } from '../sandbox/running.ts';
import { type Form, formOf } from '../screen/form.ts';
import { oneLine } from '../screen/shown-text.ts';
import { inSchemaNames, paint, printJson, tabbedLines } from '../screen/table.ts';

export async function checked(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, askingOptions);
  const form = formOf(terminal, values);
  const answers = await inWorkspace(terminal, values.workspace, (place) =>
    checkAll(place, positionals, terminal),
  );
  print(terminal, answers, form);
  return answers.every((each) => each.verdict === 'good') ? exitCodes.ok : exitCodes.failed;
}

interface Checked extends ListedCredential {
  readonly verdict: 'good' | 'refused' | 'unreadable' | 'not_checked';
  /** The account that it belongs to, when the platform takes it. */
  readonly account: string | null;
  /** What is wrong and what to do, when it is not. */
  readonly error: string | null;
  /** The rate groups that were opened again. */
  readonly opened: readonly OpenedGroup[];
}

async function checkAll(
  place: Place,
  named: readonly string[],
  terminal: Terminal,
): Promise<Checked[]> {
  const known = await listCredentials(place.client, place.workspaceId);
  const names = known.map((each) => each.authRef);
  const unknown = named.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new NotFoundError(`there is no credential "${unknown}"`, {
      hint: names.length === 0 ? 'there is none yet' : thereAre(names),
    });
  }
  const chosen = known.filter((each) => named.length === 0 || named.includes(each.authRef));
  const config = await configOfServices(place.config, terminal);
  const secrets = createSecrets(config.secrets);
  const providers = await openProviders(config);
  try {
    return await Promise.all(
      chosen.map((credential) => check(place, credential, { secrets, providers })),
    );
  } finally {
    await providers.close();
  }
}

/** Nobody looks at a terminal for longer than this. */
const patienceMs = 20_000;

async function check(
  { client, workspaceId }: Place,
  credential: ListedCredential,
  { secrets, providers }: { secrets: Secrets; providers: Providers },
): Promise<Checked> {
  const { authRef, platform } = credential;
  const bad = (verdict: Exclude<Checked['verdict'], 'good'>, error: string): Checked => {
    return { ...credential, verdict, account: null, error, opened: [] };
  };
  const read = await secrets.ofCredential(credential);
  if (!read.ok) {
    const what = `${credentialName(credential)} cannot be read here: ${read.reason}`;
    return bad('unreadable', `${what}; run this with the environment of the dispatcher`);
  }
  const adapter = adapterFor(providers.adapters, platform);
  if (adapter === undefined) return bad('not_checked', `there is no adapter for "${platform}"`);

  const found = await adapter.check(read.secret, AbortSignal.timeout(patienceMs));
  if (found.ok) {
    const operator = userName();
    const reason = 'outrider auth check: the platform takes the token';
    const opened = await reopenCredential(client, { workspaceId, authRef, operator, reason });
    return { ...credential, verdict: 'good', account: found.account, error: null, opened };
  }
  const isRefused = found.error.cause === 'credential';
  if (isRefused) {
    return bad('refused', maskText(refusedCredential(credential, found.error).message));
  }
  return bad('not_checked', maskText(`${found.error.code}: ${found.error.message}`));
}

const fields = [
  'authRef',
  'platform',
  'verdict',
  'account',
  'error',
  'opened',
  'secretRef',
  'channels',
] as const;

function print(terminal: Terminal, answers: readonly Checked[], form: Form): void {
  if (form === 'json') {
    const rows = answers.map((each) => ({ ...each, opened: each.opened.map(inSchemaNames) }));
    return printJson(terminal, rows.map(inSchemaNames));
  }
  if (form === 'tsv') {
    const rows = answers.map((each) => ({ ...each, opened: groupsOf(each).join(',') }));
    for (const line of tabbedLines(fields, rows)) terminal.out(line);
    return;
  }
  if (answers.length === 0) terminal.out('There are no credentials yet.');
  const width = Math.max(...answers.map((each) => each.authRef.length));
  // Not as a table: what to do stands at the end, and must not be cut off.
  for (const each of answers) {
    const { authRef, verdict, platform, account, error, opened } = each;
    const colour = {
      good: 'green',
      refused: 'red',
      unreadable: 'red',
      not_checked: 'yellow',
    } as const;
    const word = paint(terminal, colour[verdict], verdict.replace('_', ' ').padEnd(11));
    const also = opened.length === 0 ? '' : `; sends again: ${groupsOf(each).join(', ')}`;
    const words = oneLine(`${platform}: ${account ?? error}${also}`);
    terminal.out(`${authRef.padEnd(width)}  ${word}  ${words}`);
  }
}

function groupsOf({ opened }: Checked): string[] {
  return opened.map((group) => `${group.platform}/${group.rateGroup}`);
}
