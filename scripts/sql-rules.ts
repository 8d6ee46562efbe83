// House rules of db/functions and db/migrations, judged by text alone.

const maxLines = 160;
// Parameters may hold parentheses one level deep: numeric(10, 2), default clock_timestamp().
const signature = /create or replace function outrider\.(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)/g;
const columnDefault =
  /\bdefault\s*\(*(now|current_timestamp|localtimestamp|(clock|statement|transaction)_timestamp)\b/;
// The one column that may: those of outbox_events are a published contract. outrider.emit_event never leaves it to that.
const outboxEvents = /\btable (if not exists )?outrider\.outbox_events\b/;
const lockedDefault = /\bcreated_at timestamptz( not null)? default now\(\)/;

/** How the file of a function breaks the rules, one text for each breach. */
export function functionFaults(name: string, text: string): string[] {
  const faults: string[] = [];
  if (!text.startsWith('-- ')) faults.push('does not start with a comment header');
  const lines = text.trimEnd().split('\n').length;
  if (lines > maxLines) faults.push(`has ${lines} lines, more than ${maxLines}`);

  // PostgreSQL begins to look behind at the start of the text, anew with each match.
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

/** How a migration breaks the rules; the migrator itself sees to names and numbers. */
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
  // A standard SQL body (begin atomic, return) binds its names once, when it is created. A part, which nobody is granted,
  // runs with the path of the function that calls it.
  const bindsNamesLate = /^as\s+\$/.test(afterParameters.slice(attributes.length));
  const definer = /\bsecurity\s+definer\b/.test(attributes);
  const granted = /\bgrant\s+execute\b/.test(afterParameters);
  const path = /\bset\s+search_path\s*(=|to)\s*([\w, ]+)/.exec(attributes)?.[2];
  if (path === undefined && bindsNamesLate && (granted || definer)) {
    faults.push(
      'is public and does not set search_path (a body of the form "return …" needs none)',
    );
  }
  if (definer && !path?.trimEnd().endsWith('pg_temp')) {
    faults.push('runs with its owner’s rights and does not set a search_path that ends in pg_temp');
  }
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
  return text.replaceAll(/--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"/g, ' ');
}
