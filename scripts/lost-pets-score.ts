// How well and how fast the reader of lost-pets posts reads the corpus: shares, confusion tables, posts a second.
import { readPost } from '../src/lost-pets/read-post.ts';
import { casesOf, fields, parts, type Score, scoreOf } from '../test/support/lost-pets/corpus.ts';

for (const part of parts) {
  const score = scoreOf(casesOf(part));
  console.log(`${part}: ${score.cases} posts`);
  for (const field of fields) {
    console.log(`  ${field.padEnd(9)}${(score.shares[field] * 100).toFixed(1).padStart(6)} %`);
  }
  for (const field of ['type', 'animal'] as const) printConfusion(field, score.confusion[field]);
  console.log('');
}
const texts = parts.flatMap((part) => casesOf(part).map(({ text }) => text));
console.log(
  `${Math.round(postsPerSecond(texts)).toLocaleString('en')} posts a second of CPU time on one core`,
);

/** Rows: what a person reads. Columns: what the reader reads. */
function printConfusion(field: string, table: Score['confusion']['type']): void {
  const columns = [
    ...new Set([...table.keys(), ...[...table.values()].flatMap((row) => [...row.keys()])]),
  ];
  const width = Math.max(...columns.map((each) => each.length)) + 1;
  console.log(`\n  ${field}, as expected (rows) and as read (columns)`);
  console.log(
    `  ${''.padEnd(width)}${columns.map((each) => each.slice(0, 7).padStart(8)).join('')}`,
  );
  for (const [expected, row] of table) {
    const cells = columns.map((read) => String(row.get(read) ?? '·').padStart(8));
    console.log(`  ${expected.padEnd(width)}${cells.join('')}`);
  }
}

function postsPerSecond(posts: readonly string[]): number {
  const read = (times: number): void => {
    for (let n = 0; n < times; n += 1) for (const post of posts) readPost(post);
  };
  read(40); // until the engine has compiled it
  const from = process.threadCpuUsage();
  read(20);
  const { user, system } = process.threadCpuUsage(from);
  return (20 * posts.length * 1_000_000) / (user + system);
}
