// From the text of a file to documents that the database can apply: read, checked, and with hashes in place of the
// references to endpoints' secrets.

import { createHash } from 'node:crypto';
import { type Credentials, createCredentials } from '../../adapters/credentials.ts';
import { InvalidInputError } from '../../errors.ts';
import { Document } from './document.ts';
import { faultsOf } from './faults.ts';
import { type Fault, type Path, readSource, type Source, type SourceFile } from './source.ts';

export interface Configuration {
  readonly workspaceId: string;
  /** As outrider.apply_workspace takes it. */
  readonly document: Readonly<Record<string, unknown>>;
  /** What the database refused, with its place in the file. */
  readonly retell: (error: unknown) => unknown;
}

const hint = 'docs/configuration.md says what each key may be';

export async function readConfiguration(
  name: string,
  text: string,
  secrets: Readonly<Record<string, string | undefined>>,
): Promise<Configuration[]> {
  const file = readSource(name, text);
  if (file.documents.length === 0) {
    throw new InvalidInputError(`${name} holds no document`, {
      hint: 'begin with a line such as "workspace: demo"; presets/demo.yaml is an example',
    });
  }
  const checked = checkedDocuments(file);
  const credentials = createCredentials(secrets);
  const faults: Fault[] = [];
  const configurations: Configuration[] = [];
  for (const { source, document } of checked) {
    const { endpoints, missing } = await withHashes(document.endpoints, credentials);
    faults.push(
      ...missing.map(({ path, message }) => ({ offset: source.offsetOf(path), message })),
    );
    configurations.push({
      workspaceId: document.workspace,
      document: endpoints === undefined ? document : { ...document, endpoints },
      retell: (error) => retold(file, source, error),
    });
  }
  if (faults.length > 0) {
    throw file.refusal(faults, 'set the secret (a line in .env will do) and apply the file again');
  }
  return configurations;
}

function checkedDocuments(file: SourceFile): { source: Source; document: Document }[] {
  const faults: Fault[] = [];
  const checked: { source: Source; document: Document }[] = [];
  for (const source of file.documents) {
    const parsed = Document.safeParse(source.value);
    if (!parsed.success) faults.push(...faultsOf(source, parsed.error));
    else if (checked.some((each) => each.document.workspace === parsed.data.workspace)) {
      const message = `workspace ${parsed.data.workspace} has a document above; put the two into one`;
      faults.push({ offset: source.offsetOf(['workspace']), message });
    } else checked.push({ source, document: parsed.data });
  }
  if (faults.length > 0) throw file.refusal(faults, hint);
  return checked;
}

interface Missing {
  readonly path: Path;
  readonly message: string;
}

async function withHashes(
  endpoints: Document['endpoints'],
  credentials: Credentials,
): Promise<{ endpoints: Record<string, unknown> | undefined; missing: Missing[] }> {
  if (endpoints === undefined) return { endpoints, missing: [] };
  const hashed: Record<string, unknown> = {};
  const missing: Missing[] = [];
  for (const [id, { secret_ref: secretRef, ...endpoint }] of Object.entries(endpoints)) {
    hashed[id] = endpoint;
    if (secretRef === undefined) continue;
    const read = await credentials.read({ authRef: id, secretRef });
    if (read.ok) hashed[id] = { ...endpoint, secret_hash: sha256(read.secret) };
    else {
      const message = `endpoints.${id}.secret_ref: ${read.error.message}`;
      missing.push({ path: ['endpoints', id, 'secret_ref'], message });
    }
  }
  return { endpoints: hashed, missing };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const sections: Readonly<Record<string, string>> = {
  channel: 'channels',
  endpoint: 'endpoints',
  credential: 'credentials',
  'rate group': 'rate_groups',
  template: 'templates',
  'pull source': 'pull_sources',
  settings: 'settings',
};

/** The database names the thing and, mostly, the field: `channel "news": rate_rps must not be negative`. */
function retold(file: SourceFile, source: Source, error: unknown): unknown {
  if (!(error instanceof InvalidInputError) || error.sqlstate !== 'OR001') return error;
  const message = error.message.replace(/^apply_workspace: /, '');
  return file.refusal([{ offset: source.offsetOf(pathIn(message)), message }], error.hint ?? hint);
}

function pathIn(message: string): Path {
  const [, kind = '', id = '', field = ''] =
    /^([a-z ]+) "((?:[^"\\]|\\.)*)"(?:[,:] (\w+))?/.exec(message) ?? [];
  const section = sections[kind];
  if (section === undefined) return [];
  if (kind === 'settings') return [section, field];
  if (kind === 'rate group') return [section, ...id.split('/'), field];
  // A template's fault is told with the version that it would have been.
  return [section, id, kind === 'template' && field === 'version' ? 'body' : field];
}
