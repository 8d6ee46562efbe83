import { figure, times } from './figures.ts';
import type { Table } from './table.ts';

/** A target that was set before the measurement, and what was measured. */
export interface Verdict {
  readonly target: string;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  /** A ratio, unless it has a unit; NaN when this run did not measure it. */
  readonly measured: number;
  readonly unit?: 'B' | 'ms' | undefined;
}

export function verdictTable(verdicts: readonly Verdict[]): Table {
  return {
    title: 'Targets',
    columns: ['target', 'measured', 'verdict'],
    rows: verdicts.map((each) => [each.target, shown(each), judge(each)]),
  };
}

function shown({ measured, unit }: Verdict): string {
  return unit === undefined ? times(measured) : `${figure(measured)} ${unit}`;
}

function judge({ bound, measured }: Verdict): string {
  if (Number.isNaN(measured)) return 'not measured';
  const met = 'atLeast' in bound ? measured >= bound.atLeast : measured <= bound.atMost;
  return met ? 'met' : 'missed';
}
