export interface Statement {
  readonly text: string;
  /** Where it begins in the file. */
  readonly offset: number;
}

// What may hold a semicolon that ends nothing. Tried in this order at each position.
const opaque = [
  /--[^\n]*/y,
  /[eE]'(?:[^'\\]|\\.|'')*'/sy,
  /'(?:[^']|'')*'/sy,
  /"(?:[^"]|"")*"/sy,
  /\$(\w*)\$.*?\$\1\$/sy,
];

/**
 * Splits a file into its statements. Sent as one text, PostgreSQL would wrap them in a transaction,
 * which is what such a file must avoid.
 */
export function splitStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let start = 0;
  let at = 0;
  while (at < text.length) {
    if (text[at] === ';') {
      statements.push({ text: text.slice(start, at), offset: start });
      at += 1;
      start = at;
      continue;
    }
    at = endOfOpaque(text, at) ?? at + 1;
  }
  statements.push({ text: text.slice(start), offset: start });
  return statements.filter((statement) => !isBlank(statement.text));
}

function endOfOpaque(text: string, at: number): number | undefined {
  if (text.startsWith('/*', at)) return endOfBlockComment(text, at);
  for (const pattern of opaque) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  // A word is taken whole, so that the e of a name is not read as the e of e'...'.
  const word = /[\w$]+/y;
  word.lastIndex = at;
  return word.test(text) ? word.lastIndex : undefined;
}

// They nest.
function endOfBlockComment(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < text.length; index += 1) {
    if (text.startsWith('/*', index)) depth += 1;
    if (text.startsWith('*/', index)) depth -= 1;
    else if (!text.startsWith('/*', index)) continue;
    index += 1;
    if (depth === 0) return index + 1;
  }
  return text.length;
}

function isBlank(statement: string): boolean {
  return statement.replace(/--[^\n]*|\/\*.*?\*\//gs, '').trim() === '';
}
