import { times } from './figures.ts';
import type { Table } from './table.ts';

/** A target, as agreed before the measurement, and what was measured. */
export interface Verdict {
  readonly target: string;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  /** A ratio; NaN: this run did not measure it. */
  readonly measured: number;
}

export function verdictTable(verdicts: readonly Verdict[]): Table {
  return {
    title: 'Targets',
    columns: ['target', 'measured', 'verdict'],
    rows: verdicts.map((each) => [each.target, times(each.measured), judge(each)]),
  };
}

function judge({ bound, measured }: Verdict): string {
  if (Number.isNaN(measured)) return 'not measured';
  const met = 'atLeast' in bound ? measured >= bound.atLeast : measured <= bound.atMost;
  return met ? 'met' : 'missed';
}
