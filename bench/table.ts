export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Aligns the first column to the left, numbers to the right. */
export function asText(table: Table): string {
  const widths = table.columns.map((column, index) =>
    Math.max(column.length, ...table.rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, index) => {
        const cell = cells[index] ?? '';
        return index === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width));
  return [table.title, line(table.columns), line(rule), ...table.rows.map(line)].join('\n');
}

export function asMarkdown(table: Table): string {
  const rule = table.columns.map((_, index) => (index === 0 ? '---' : '---:'));
  return [
    `## ${table.title}`,
    '',
    markdownRow(table.columns),
    markdownRow(rule),
    ...table.rows.map(markdownRow),
  ].join('\n');
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
