// What may not stand in the query of a db source, because Outrider adds it: rows would be skipped without a word.

/** Literals, quoted names and comments, in which anything may stand. */
const quoted =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$/g;

/** What is wrong with a query, in words; undefined when nothing is. */
export function queryFault(query: string): string | undefined {
  const asked = query.replaceAll(quoted, ' ').replace(/[\s;]+$/, '');
  if (asked.trim() === '') return 'is empty: it is one select';
  if (/\$\d/.test(asked)) return 'must not hold parameters such as $1: key says where it goes on';
  if (/\blimit\s+\d+(?:\s+offset\s+\d+)?$|\bfetch\s+(?:first|next)\s[^()]*$/i.test(asked)) {
    return 'must not end with a limit: limit of the source says how many rows come at once';
  }
  return undefined;
}
