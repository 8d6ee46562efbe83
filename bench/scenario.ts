import type { Contender, StoreName } from './contender.ts';
import type { Options } from './options.ts';
import type { Stores } from './stores/stores.ts';
import type { Table } from './table.ts';
import type { Verdict } from './verdict.ts';

/** One question, measured often enough to trust the answer. */
export interface Scenario {
  readonly name: string;
  /** One sentence: what is measured. */
  readonly question: string;
  /** The names of its contenders, if they are not the bench's own. */
  readonly contenders?: readonly string[];
  run(bench: Bench): Promise<Findings>;
}

/** What a scenario works with. */
export interface Bench {
  readonly options: Options;
  readonly stores: Stores;
  readonly contenders: readonly Contender[];
  progress(line: string): void;
}

export interface Findings {
  readonly tables: readonly Table[];
  readonly verdicts: readonly Verdict[];
  /** Every single measurement, for the JSON file. */
  readonly raw: unknown;
  /** Who took part and with which settings, if not the bench's own contenders. */
  readonly contenders?: Readonly<Record<string, Contender['settings']>>;
  /** Which servers took part, if not those of the bench's own contenders. */
  readonly stores?: readonly StoreName[];
}
