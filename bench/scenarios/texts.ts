import { figure } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { type Admin, installOutrider } from '../outrider/workload.ts';
import type { Findings, Scenario } from '../scenario.ts';
import { median, ratios } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

/** A step of intake or of a commit, and the piece of text that costs it most when repeated. */
interface Reader {
  readonly title: string;
  readonly sql: string;
  readonly piece: string;
}

const readers: readonly Reader[] = [
  { title: 'Telegram’s HTML', sql: "outrider.read_markup($1, 'telegram_html')", piece: '<b>&#' },
  { title: 'MAX’s HTML', sql: "outrider.read_markup($1, 'max_html')", piece: '<b>&#' },
  { title: 'MarkdownV2', sql: "outrider.read_markup($1, 'telegram_markdown')", piece: '*x*' },
  { title: 'MAX’s Markdown', sql: "outrider.read_markup($1, 'max_markdown')", piece: '**x**' },
  { title: 'white space in code', sql: "outrider.text_with_code($1, 'Markdown')", piece: '` ' },
  { title: 'masking', sql: 'outrider.mask_text($1)', piece: '8 ' },
];

/** A quarter of the longest text of a post, and the longest. */
const lengths = [16_384, 65_536] as const;
const characters = 10 * 65_536;

/** What hostile texts cost, and whether it grows faster than they do. */
export const texts: Scenario = {
  name: 'texts',
  question: 'Does a text that is four times as long cost four times as much to read and to mask?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const url = await store.createDatabase();
    const admin = await installOutrider(url);
    const series = new Map<Reader, ReadonlyMap<number, readonly number[]>>();
    for (const reader of readers) {
      bench.progress(reader.title);
      const cost = (length: number): Promise<number> => costOf(reader, length, admin, store);
      series.set(reader, await interleave([...lengths], bench.options.repetitions, cost));
    }
    await admin.end();
    await store.dropDatabase(url);
    return findingsOf(series);
  },
};

/** ns of PostgreSQL for one character. */
async function costOf(
  { sql, piece }: Reader,
  length: number,
  admin: Admin,
  store: Store,
): Promise<number> {
  const text = piece.repeat(Math.floor(length / piece.length));
  const before = store.cpuMicros();
  for (let done = 0; done < characters; done += length) {
    await admin.query(`select pg_column_size(${sql})`, [text]);
  }
  return (1000 * (store.cpuMicros() - before)) / characters;
}

function findingsOf(series: ReadonlyMap<Reader, ReadonlyMap<number, readonly number[]>>): Findings {
  const measured = [...series].map(([{ title, piece }, byLength]) => {
    const [short = [], long = []] = lengths.map((length) => byLength.get(length));
    return { title, piece, short, long, growth: median(ratios(long, short)) };
  });
  return {
    tables: [
      {
        title: 'PostgreSQL CPU for one character of a hostile text, median, ns',
        columns: [
          'of',
          'repeated',
          ...lengths.map((length) => length.toLocaleString('en')),
          'growth',
        ],
        rows: measured.map(({ title, piece, short, long, growth }) => [
          title,
          piece,
          figure(median(short)),
          figure(median(long)),
          figure(growth),
        ]),
      },
    ],
    verdicts: measured.map(({ title, growth }) => ({
      target: `${title}: a character of 65,536 costs ≤ 1.5 × one of 16,384`,
      bound: { atMost: 1.5 },
      measured: growth,
    })),
    raw: measured,
    contenders: {},
    stores: ['postgres'],
  };
}
