// What a simulation says: to people sentences, plots and a table; to machines numbers.

import type { LimitUse } from '../../simulate/limits.ts';
import type { Summary } from '../../simulate/summary.ts';
import type { Terminal } from '../command.ts';
import type { Form } from '../screen/form.ts';
import { type List, printFacts, printJson, printList, terminalWidth } from '../screen/table.ts';
import { span } from '../screen/times.ts';
import { folded, limitInWords, remedyOf } from './limit-words.ts';
import { plotted } from './plot.ts';

export interface Shown {
  readonly workspaceId: string;
  readonly asItIs: Summary;
  readonly changed: Summary | undefined;
  /** The values and files that were tried out. */
  readonly changes: readonly string[];
  /** What the reader should know: assumptions. */
  readonly notes: readonly string[];
}

export function printSimulation(terminal: Terminal, form: Form, shown: Shown): void {
  if (form === 'json') return printJson(terminal, inJson(shown));
  if (form === 'tsv') return printFacts(terminal, factsOf(shown));
  for (const line of headOf(shown)) terminal.out(line);
  const latest = shown.changed ?? shown.asItIs;
  if (latest.deliveries.made > 0) {
    terminal.out('');
    for (const line of plotsOf(latest)) terminal.out(line);
  }
  if (shown.changed !== undefined) {
    terminal.out('');
    printList(terminal, comparison, comparedFacts(shown.asItIs, shown.changed), { form });
  }
  const waits = limitRows(latest).filter(({ waitedS }) => waitedS > 0);
  if (waits.length > 0) {
    terminal.out('');
    printList(terminal, limitList, waits, { form });
  }
  terminal.out('');
  for (const line of verdictOf(latest)) terminal.out(line);
  for (const note of shown.notes) terminal.out(note);
}

const number = (count: number): string => count.toLocaleString('en-US');

function headOf({ workspaceId, asItIs, changed, changes }: Shown): string[] {
  const { posts, deliveries } = asItIs;
  const refused = posts.rejected === 0 ? '' : `, ${number(posts.rejected)} of them not taken in`;
  const deduped = deliveries.deduped === 0 ? '' : `, ${number(deliveries.deduped)} repeats`;
  const invalid =
    deliveries.refused === 0 ? '' : `, ${number(deliveries.refused)} that no platform would take`;
  return [
    `${workspaceId}: ${number(posts.given)} posts${refused}, ${number(deliveries.made)} deliveries${deduped}${invalid}`,
    ...(changed === undefined ? [] : [`with ${changes.join(', ')}:`]),
    outInWords(changed ?? asItIs),
  ];
}

function outInWords({
  deliveries,
  beganAt,
  lastSentAt,
  makespanMs,
  deepest,
  waitMs,
}: Summary): string {
  const last = lastSentAt === null ? undefined : new Date(lastSentAt).toISOString().slice(0, 19);
  const when =
    last === undefined
      ? 'nothing would go out'
      : `the last delivery would be out at ${last}Z, ${exactSpan(makespanMs)} after the first post`;
  const left = deliveries.waiting === 0 ? '' : `; ${number(deliveries.waiting)} would still wait`;
  const lost = deliveries.failed + deliveries.dead;
  const failed = lost === 0 ? '' : `; ${number(lost)} would fail`;
  const depth = `The queue is deepest with ${number(deepest.waiting)}, ${exactSpan(deepest.at - beganAt)} after the first post.`;
  if (last === undefined && deepest.waiting === 0) return `${when}${failed}.`;
  if (last === undefined) return `${when}${left}${failed}. ${depth}`;
  const waits = `Half are out within ${exactSpan(waitMs.median)}, 95 % within ${exactSpan(waitMs.p95)}.`;
  return `${when}${left}${failed}. ${depth} ${waits}`;
}

function exactSpan(ms: number): string {
  return ms < 10_000 ? `${Number((ms / 1000).toFixed(1))} s` : span(ms);
}

const plotHeight = 8;

function plotsOf({ series, beganAt }: Summary): string[] {
  const width = Math.min(terminalWidth(), 160);
  const end = series.at(-1)?.at ?? beganAt;
  const [from, to] = [clockOf(beganAt), clockOf(end)];
  const common = { width, height: plotHeight, from, to };
  return [
    ...plotted({ ...common, title: 'waiting', values: series.map((each) => each.waiting) }),
    '',
    ...plotted({ ...common, title: 'out', values: series.map((each) => each.sent) }),
  ];
}

function clockOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

interface LimitRow {
  readonly limit: string;
  readonly name: string;
  readonly words: string;
  readonly waitedS: number;
  readonly deliveries: number;
  readonly share: number;
}

function limitRows({ limits }: Summary): LimitRow[] {
  const all = limits.reduce((sum, each) => sum + each.waitedMs, 0);
  return folded(limits)
    .slice(0, 8)
    .map(({ use, words }) => ({
      limit: use.limit,
      name: use.name,
      words,
      waitedS: Math.round(use.waitedMs / 1000),
      deliveries: use.deliveries,
      share: use.waitedMs / Math.max(1, all),
    }));
}

const limitList: List<LimitRow> = {
  fields: ['limit', 'name', 'waitedS', 'deliveries', 'share'],
  columns: [
    { title: 'what channels waited for', cell: (row) => row.words, shrinks: 30 },
    { title: 'waited', cell: (row) => span(row.waitedS * 1000), align: 'right' },
    { title: 'share', cell: (row) => `${Math.round(row.share * 100)} %`, align: 'right' },
  ],
};

interface Compared {
  readonly fact: string;
  readonly asItIs: string;
  readonly changed: string;
}

const comparison: List<Compared> = {
  fields: ['fact', 'asItIs', 'changed'],
  columns: [
    { title: '', cell: (row) => row.fact },
    { title: 'as it is', cell: (row) => row.asItIs, shrinks: 20 },
    { title: 'with the changes', cell: (row) => row.changed, shrinks: 20 },
  ],
};

function comparedFacts(before: Summary, after: Summary): Compared[] {
  const row = (fact: string, of: (summary: Summary) => string): Compared => ({
    fact,
    asItIs: of(before),
    changed: of(after),
  });
  return [
    row('all out after', (each) => exactSpan(each.makespanMs)),
    row('half out within', (each) => exactSpan(each.waitMs.median)),
    row('95 % out within', (each) => exactSpan(each.waitMs.p95)),
    row('deepest queue', (each) => number(each.deepest.waiting)),
    row('sent', (each) => number(each.deliveries.sent)),
    row('failed', (each) => number(each.deliveries.failed + each.deliveries.dead)),
    row('still waiting', (each) => number(each.deliveries.waiting)),
    row('bottleneck', (each) =>
      each.bottleneck === null ? 'none' : limitInWords(each.bottleneck),
    ),
  ];
}

function verdictOf(summary: Summary): string[] {
  const { bottleneck, lastChannel, deliveries } = summary;
  if (bottleneck === null || lastChannel === null) {
    return deliveries.made === 0
      ? ['No channel takes any of these posts.']
      : ['Nothing had to wait for a limit.'];
  }
  const remedy = remedyOf(bottleneck, lastChannel);
  return [
    `The bottleneck is ${limitInWords(bottleneck)}: ${lastChannel}, which is done last, waited for it for ${span(bottleneck.waitedMs)}.`,
    ...(remedy === undefined ? [] : [`Try ${remedy}.`]),
  ];
}

function factsOf({ asItIs, changed }: Shown): Record<string, unknown> {
  return {
    ...namedFacts(asItIs, ''),
    ...(changed === undefined ? {} : namedFacts(changed, 'changed_')),
  };
}

function namedFacts(summary: Summary, prefix: string): Record<string, unknown> {
  const { deliveries, bottleneck } = summary;
  const facts = {
    last_sent_at: isoOf(summary.lastSentAt),
    makespan_s: summary.makespanMs / 1000,
    deliveries: deliveries.made,
    sent: deliveries.sent,
    failed: deliveries.failed + deliveries.dead,
    waiting: deliveries.waiting,
    deepest_queue: summary.deepest.waiting,
    bottleneck: bottleneck?.limit,
    bottleneck_name: bottleneck?.name,
  };
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [`${prefix}${name}`, value] as const),
  );
}

function inJson({ workspaceId, asItIs, changed, changes, notes }: Shown): object {
  return {
    workspace: workspaceId,
    changes,
    notes,
    as_it_is: summaryInJson(asItIs),
    changed: changed === undefined ? null : summaryInJson(changed),
  };
}

function summaryInJson(summary: Summary): object {
  return {
    began_at: isoOf(summary.beganAt),
    last_sent_at: isoOf(summary.lastSentAt),
    makespan_ms: summary.makespanMs,
    posts: summary.posts,
    deliveries: summary.deliveries,
    attempts: summary.attempts,
    wait_ms: summary.waitMs,
    deepest: { at: isoOf(summary.deepest.at), waiting: summary.deepest.waiting },
    last_channel: summary.lastChannel,
    bottleneck: summary.bottleneck === null ? null : limitInJson(summary.bottleneck),
    limits: summary.limits.map(limitInJson),
    series: summary.series.map(({ at, waiting, sent }) => ({ at: isoOf(at), waiting, sent })),
  };
}

function limitInJson(use: LimitUse): object {
  return {
    limit: use.limit,
    name: use.name,
    value: use.value ?? null,
    waited_ms: Math.round(use.waitedMs),
    deliveries: use.deliveries,
    words: limitInWords(use),
  };
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
