// Up to version 15 pg_get_viewdef qualifies every column. From 16 on it does not where a query reads
// from one relation only. This brings the text to the newer form.

interface Piece {
  readonly text: string;
  /** Inside of a subquery, where columns stay qualified on every version. */
  readonly nested: boolean;
  readonly depth: number;
}

const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|[^'"()]+/g;

export function withoutLoneQualifier(definition: string): string {
  const pieces = cut(definition);
  const top = pieces.map((piece) => (piece.depth === 0 ? piece.text : ' ')).join('');
  const qualifier = loneRelation(top);
  if (qualifier === undefined) return definition;
  const qualified = new RegExp(`(?<![\\w."])${escaped(qualifier)}\\.(?=[\\w"]|$)`, 'g');
  return pieces
    .map((piece) =>
      piece.nested || piece.text.startsWith("'") ? piece.text : piece.text.replace(qualified, ''),
    )
    .join('');
}

function cut(definition: string): Piece[] {
  const pieces: Piece[] = [];
  const subqueries: boolean[] = [];
  for (const match of definition.matchAll(token)) {
    const text = match[0];
    if (text === ')') subqueries.pop();
    pieces.push({ text, nested: subqueries.includes(true), depth: subqueries.length });
    if (text === '(') {
      const rest = definition.slice(match.index + 1, match.index + 20);
      subqueries.push(/^\s*(SELECT|WITH|VALUES)\b/.test(rest));
    }
  }
  return pieces;
}

/** What the columns of a query over one relation are qualified with. */
function loneRelation(top: string): string | undefined {
  if (/\b(UNION|INTERSECT|EXCEPT)\b/.test(top)) return undefined;
  const from =
    /\bFROM\b(.*?)(?=\b(?:WHERE|GROUP BY|HAVING|WINDOW|ORDER BY|LIMIT|OFFSET|FETCH|FOR)\b|;|$)/s.exec(
      top,
    )?.[1];
  if (from === undefined || /\bJOIN\b|,/.test(from)) return undefined;
  return from
    .trim()
    .split(/[\s.]+/)
    .at(-1);
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
