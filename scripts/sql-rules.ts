// House rules of db/functions and db/migrations, judged by text alone.

const maxLines = 160;
// Parameters may hold parentheses one level deep: numeric(10, 2), default clock_timestamp().
const signature = /create or replace function outrider\.(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)/g;
const columnDefault =
  /\bdefault\s*\(*(now|current_timestamp|localtimestamp|(clock|statement|transaction)_timestamp)\b/;
// The one exception: the columns of outbox_events are a published contract. outrider.emit_event never uses the default.
const outboxEvents = /\btable (if not exists )?outrider\.outbox_events\b/;
const lockedDefault = /\bcreated_at timestamptz( not null)? default now\(\)/;

// Folders of functions that no login calls: checks of arguments, formulas, what tables call, parts of an area.
const partFolder = /\/(check|shared|triggers|internal)\//;

/** Whether the function of a file is a part. The folder decides; all others are public. */
export function isPart(path: string): boolean {
  return partFolder.test(path);
}

/** How the file of a function breaks the rules, one text for each breach. */
export function functionFaults({ name, path, text }: FunctionFile): string[] {
  const faults = isPart(path) ? partFaults(text) : publicFaults(name, text);
  const lines = text.trimEnd().split('\n').length;
  if (lines > maxLines) faults.push(`has ${lines} lines, more than ${maxLines}`);

  // For each match PostgreSQL looks behind from the start of the text again.
  if (/\(\?<[=!]/.test(text)) faults.push('looks behind in a pattern');

  const sql = code(text);
  for (const word of new Set(sql.match(/\w*[A-Z]\w*/g))) faults.push(`is not lower-case: ${word}`);

  const functions = [...sql.matchAll(signature)];
  if (functions.length !== 1) {
    faults.push(`creates ${functions.length} functions with "create or replace", not one`);
  }
  for (const { 0: opening, 1: created = '', 2: parameters = '', index } of functions) {
    if (created !== name) faults.push(`creates ${created}, not ${name}`);
    for (const parameter of givenNames(parameters)) {
      if (!parameter.startsWith('p_')) faults.push(`has a parameter without p_: ${parameter}`);
    }
    faults.push(...attributeFaults(sql.slice(index + opening.length)));
  }
  return faults;
}

export interface FunctionFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** A public function: granted, and its contract is its comment, which psql and docs/sql.md show. */
function publicFaults(name: string, text: string): string[] {
  const faults: string[] = [];
  if (!text.includes(`grant execute on function outrider.${name} to `)) {
    faults.push('is granted to nobody: a part of its area belongs in internal/');
  }
  const contract = new RegExp(`^comment on function outrider\\.${name} is \\$doc\\$\\S`, 'm');
  if (!contract.test(text)) faults.push('has no comment on function, which is its contract');
  if (text.startsWith('--')) faults.push('has a header beside its comment on function');
  return faults;
}

function partFaults(text: string): string[] {
  const faults: string[] = [];
  if (!text.startsWith('-- ')) faults.push('does not start with a comment header');
  if (/^grant /m.test(text))
    faults.push('is granted, and only what stands in its area’s own folder may be');
  return faults;
}

/** How a migration breaks the rules; the migrator itself checks names and numbers. */
export function migrationFaults(text: string): string[] {
  return code(text)
    .split(';')
    .map((statement) =>
      outboxEvents.test(statement) ? statement.replace(lockedDefault, '') : statement,
    )
    .filter((statement) => columnDefault.test(statement))
    .map(() => 'has a column that defaults to the present time');
}

function attributeFaults(afterParameters: string): string[] {
  const faults: string[] = [];
  const [attributes = ''] = afterParameters.split(/\bas\s+\$|\bbegin\s+atomic\b|\breturn\s/, 1);
  if (!/\b(immutable|stable|volatile)\b/.test(attributes)) {
    faults.push('does not declare its volatility');
  }
  // Parts inherit the path of the public function that calls them. Triggers and granted functions run on any caller's.
  const path = /\bset\s+search_path\s*(=|to)\s*([\w, ]+)/.exec(attributes)?.[2];
  const isEntrance = /\bsecurity\s+definer\b|\breturns\s+trigger\b|\bgrant\s+execute\b/.test(
    afterParameters,
  );
  if (isEntrance && !path?.trimEnd().endsWith('pg_temp')) {
    faults.push('is called on anybody’s search_path and does not set one that ends in pg_temp');
  }
  if (!isEntrance && path !== undefined) faults.push('sets search_path, which parts inherit');
  return faults;
}

/** The parameters that a caller gives; `out` names a column of the result. */
function givenNames(parameters: string): string[] {
  const list = parameters.replaceAll(/\([^()]*\)/g, '').split(',');
  return list
    .map((one) => one.trim().replace(/^(in|inout|variadic)\s+/, ''))
    .filter((one) => one !== '' && !/^out\s/.test(one))
    .flatMap((one) => one.split(/\s/, 1));
}

/** The text without comments, string literals and quoted names. */
function code(text: string): string {
  return text.replaceAll(
    /\$doc\$[\s\S]*?\$doc\$|--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"/g,
    ' ',
  );
}
