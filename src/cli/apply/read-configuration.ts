// Turns the text of a file into documents that the database can apply: read, checked, and with hashes in place of the
// references to the secrets of endpoints.

import { createHash } from 'node:crypto';
import { InvalidInputError } from '../../errors.ts';
import { keyFault, signingFault } from '../../http/standard-webhooks.ts';
import { createSecrets, type Secrets } from '../../secrets.ts';
import { Document } from './document.ts';
import { faultsOf } from './faults.ts';
import { pictureFaults } from './picture-faults.ts';
import { removeAt, soundPart } from './sound-part.ts';
import { type Fault, type Path, readSource, type Source, type SourceFile } from './source.ts';

export interface Configuration {
  readonly workspaceId: string;
  /** As outrider.apply_workspace takes it. */
  readonly document: Readonly<Record<string, unknown>>;
  /** What is not a fault, but worth a warning. */
  readonly warnings: readonly Warning[];
  /** What the database refused, each fault at its place in the file; throws any error that is not a refusal. */
  readonly faultsIn: (error: unknown) => readonly MeaningFault[];
}

export interface Warning {
  readonly kind: 'credential' | 'endpoint' | 'alert_target';
  readonly id: string;
  readonly message: string;
}

/** A fault that only the database can find. */
export interface MeaningFault extends Fault {
  readonly hint: string | undefined;
}

/** A file that may have faults; its configurations leave out the things that have them. */
export interface ExaminedFile extends Pick<SourceFile, 'refusal'> {
  readonly faults: readonly Fault[];
  readonly configurations: readonly Configuration[];
}

export const documentHint = 'docs/configuration.md says what each key may be';
const variableHint =
  'set the variable (a line in .env will do), or give it a default: ${NAME:-default}';
const secretHint = 'set the secret (a line in .env will do) and apply the file again';

/** The configurations of a file that has no faults. */
export async function readConfiguration(
  name: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Configuration[]> {
  const { faults, configurations, refusal } = await examineConfiguration(name, text, environment);
  if (faults.length > 0) throw refusal(faults, hintFor(faults));
  return configurations;
}

/** What to do about faults of form. */
export function hintFor(faults: readonly Fault[]): string {
  if (faults.every((each) => each.isOfSecret === true)) return secretHint;
  return faults.every((each) => each.isOfVariable === true) ? variableHint : documentHint;
}

export async function examineConfiguration(
  name: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExaminedFile> {
  const file = readSource(name, text, environment);
  if (file.documents.length === 0) {
    throw new InvalidInputError(`${name} holds no document`, {
      hint: 'begin with a line such as "workspace: demo"; presets/demo.yaml is an example',
    });
  }
  const secrets = createSecrets(environment);
  const { faults, checked } = checkedDocuments(file);
  const configurations: Configuration[] = [];
  for (const { source, document } of checked) {
    const { endpoints, missing } = await withHashes(document.endpoints, secrets);
    faults.push(
      ...missing.map(({ path, message }) => {
        return { offset: source.offsetOf(path), message, isOfSecret: true };
      }),
    );
    for (const { path, message } of await pictureFaults(document)) {
      faults.push({ offset: source.offsetOf(path), message });
    }
    const hasBadTemplates = faults.some((each) => each.section === 'templates');
    configurations.push({
      workspaceId: document.workspace,
      document: endpoints === undefined ? document : { ...document, endpoints },
      warnings: await unusableSecrets(document, secrets),
      faultsIn: (error) =>
        faultsIn(source, error).filter(
          // The template may be left out only because it has a fault itself.
          ({ message }) => !(hasBadTemplates && message.includes(': template_ref: ')),
        ),
    });
  }
  return { faults, configurations, refusal: file.refusal };
}

interface Checked {
  readonly faults: Fault[];
  readonly checked: { source: Source; document: Document }[];
}

function checkedDocuments(file: SourceFile): Checked {
  const faults: Fault[] = [...file.valueFaults];
  const checked: Checked['checked'] = [];
  for (const source of file.documents) {
    const value = withoutUnused(source, file.unused);
    const parsed = Document.safeParse(value);
    // A value that could not be filled in is one fault, whatever else would be wrong with it.
    const isNew = ({ offset }: Fault) => !file.valueFaults.some((each) => each.offset === offset);
    if (!parsed.success) faults.push(...faultsOf(source, parsed.error).filter(isNew));
    const document = parsed.success ? parsed.data : soundPart(value, parsed.error);
    if (document === undefined) continue;
    if (checked.some((each) => each.document.workspace === document.workspace)) {
      const message = `workspace ${document.workspace} has a document above; put the two into one`;
      faults.push({ offset: source.offsetOf(['workspace']), message });
    } else checked.push({ source, document });
  }
  return { faults, checked };
}

/**
 * The document without values that a missing variable leaves open in something that is not enabled, where they cannot stay
 * as they are written: a number, for example.
 */
function withoutUnused(source: Source, unused: readonly number[]): unknown {
  if (unused.length === 0) return source.value;
  const issues = Document.safeParse(source.value).error?.issues ?? [];
  const paths = issues.map(({ path }) => path);
  const open = paths.filter((path) => unused.includes(source.offsetOf(path)));
  const copy: unknown = structuredClone(source.value);
  for (const path of open) removeAt(copy, beforeNumber(path));
  return copy;
}

/** An item cannot be taken out of a list without changing the others' places: the list goes. */
function beforeNumber(path: Path): Path {
  const at = path.findIndex((step) => typeof step === 'number');
  return at === -1 ? path : path.slice(0, at);
}

interface Missing {
  readonly path: Path;
  readonly message: string;
}

/** Endpoints whose secret cannot be read are left out. */
async function withHashes(
  endpoints: Document['endpoints'],
  secrets: Secrets,
): Promise<{ endpoints: Record<string, unknown> | undefined; missing: Missing[] }> {
  if (endpoints === undefined) return { endpoints, missing: [] };
  const hashed: Record<string, unknown> = {};
  const missing: Missing[] = [];
  for (const [id, { secret_ref: secretRef, ...endpoint }] of Object.entries(endpoints)) {
    const named = `the secret_ref of endpoint ${id}`;
    const read = secretRef === undefined ? undefined : await secrets.ofReference(secretRef, named);
    if (read === undefined) hashed[id] = endpoint;
    else if (read.ok) hashed[id] = { ...endpoint, secret_hash: sha256(read.secret) };
    else {
      const message = `endpoints.${id}.secret_ref: ${read.reason}`;
      missing.push({ path: ['endpoints', id, 'secret_ref'], message });
    }
  }
  return { endpoints: hashed, missing };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What keeps a secret that was read from being what it is for. */
const secretFault: Readonly<Record<Warning['kind'], (secret: string) => string | undefined>> = {
  credential: () => undefined,
  endpoint: keyFault,
  alert_target: signingFault,
};

/** Secrets that other processes read later, and that cannot be read here, or not be used. */
async function unusableSecrets(document: Document, secrets: Secrets): Promise<Warning[]> {
  const references = [
    ...Object.entries(document.credentials ?? {}).map(
      ([id, { secret_ref: ref }]) =>
        ({ kind: 'credential', field: 'secret_ref', id, ref, reader: 'sends' }) as const,
    ),
    ...Object.entries(document.endpoints ?? {}).map(
      ([id, { signing_secret_ref: ref }]) =>
        ({
          kind: 'endpoint',
          field: 'signing_secret_ref',
          id,
          ref,
          reader: 'takes posts in',
        }) as const,
    ),
    ...Object.entries(document.alert_targets ?? {}).map(
      ([id, { secret_ref: ref }]) =>
        ({
          kind: 'alert_target',
          field: 'secret_ref',
          id,
          ref,
          reader: 'tells of alerts',
        }) as const,
    ),
  ];
  const warnings = await Promise.all(
    references.map(async ({ kind, field, id, ref, reader }): Promise<Warning[]> => {
      if (ref === undefined || ref === null) return [];
      const named = `the ${field} of ${kind.replace('_', ' ')} ${id}`;
      const read = await secrets.ofReference(ref, named);
      const fault = read.ok ? secretFault[kind](read.secret) : undefined;
      if (fault !== undefined) return [{ kind, id, message: `${field} cannot be used: ${fault}` }];
      if (read.ok) return [];
      const message = `${read.reason} here; the process that ${reader} needs it`;
      return [{ kind, id, message }];
    }),
  );
  return warnings.flat();
}

const sections: Readonly<Record<string, string>> = {
  channel: 'channels',
  endpoint: 'endpoints',
  credential: 'credentials',
  'rate group': 'rate_groups',
  template: 'templates',
  'pull source': 'pull_sources',
  'alert target': 'alert_targets',
  'bot rule': 'bot_rules',
  settings: 'settings',
};

/** The database names the thing and, mostly, the field: `channel "news": rate_rps must not be negative`. */
function faultsIn(source: Source, error: unknown): MeaningFault[] {
  if (!(error instanceof InvalidInputError) || error.sqlstate !== 'OR001') throw error;
  const { hint } = error;
  const lines = error.message.replace(/^apply_workspace: /, '').split('\n');
  return lines.map((message) => ({ offset: source.offsetOf(pathIn(message)), message, hint }));
}

function pathIn(message: string): Path {
  const [, kind = '', id = '', field = ''] =
    /^([a-z ]+) "((?:[^"\\]|\\.)*)"(?:[,:] (\w+))?/.exec(message) ?? [];
  const section = sections[kind];
  if (section === undefined) return [];
  if (kind === 'settings') return [section, field];
  if (kind === 'rate group') return [section, ...id.split('/'), field];
  // The database reports the fault of a template under the version that it would have become.
  return [section, id, kind === 'template' && field === 'version' ? 'body' : field];
}
