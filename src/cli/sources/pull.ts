// Reads one source now, in this process.

import { randomUUID } from 'node:crypto';
import type { PulledChunk } from '../../db/intake.ts';
import { pullNow } from '../../db/pull.ts';
import { OutriderError, StillInFlightError } from '../../errors.ts';
import { type Pulled, pullSource } from '../../pull/pull-source.ts';
import { askingOptions, inWorkspace, withHint } from '../asking.ts';
import { exitCodes, type Terminal } from '../command.ts';
import { userName } from '../given/operator.ts';
import { flag, readOptions, text } from '../given/options.ts';
import { untilStopped } from '../ground.ts';
import { type Form, formOf } from '../screen/form.ts';
import { withProgress } from '../screen/progress.ts';
import { inSchemaNames, paint, printFacts, printJson } from '../screen/table.ts';
import { inFull } from '../screen/times.ts';
import { whileWaiting } from '../screen/waiting.ts';
import { oneSource, readingSources, sourceNamed } from './place.ts';
import { shownItems } from './test.ts';

const options = {
  ...askingOptions,
  reason: text,
  operator: text,
  'dry-run': flag,
} as const;

export async function pulled(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const named = oneSource(positionals);
  if (values['dry-run']) {
    return shownItems(terminal, { named, form, workspace: values.workspace, limit: 20 });
  }
  const items: PulledChunk['items'] = [];
  const report = await inWorkspace(terminal, values.workspace, (place) =>
    readingSources(place, terminal, async (context) => {
      const { sourceId } = await sourceNamed(place, named);
      const order = {
        workspaceId: place.workspaceId,
        sourceId,
        runId: randomUUID(),
        lease: context.lease,
        operator: values.operator ?? userName(),
        reason: values.reason ?? 'outrider sources pull',
      };
      const claimed = await claim(pullNow(place.client, order));
      if (claimed === undefined) throw new OutriderError('not_found', 'the source is gone');
      const work = withProgress(terminal, (tell) => {
        const onChunk = (taken: PulledChunk): void => {
          items.push(...taken.items);
          tell(`items of ${sourceId}`, items.length);
        };
        tell(`items of ${sourceId}`, 0);
        return untilStopped(terminal, (signal) =>
          pullSource({ ...context, onChunk }, claimed, signal),
        );
      });
      return whileWaiting(terminal, `reading ${sourceId}`, work);
    }),
  );
  print(terminal, form, report, items);
  return report.outcome === 'done' || report.outcome === 'held' ? exitCodes.ok : exitCodes.failed;
}

async function claim<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await withHint(asked, 'outrider sources lists them');
  } catch (error) {
    if (!(error instanceof StillInFlightError)) throw error;
    throw new StillInFlightError('somebody reads this source at this moment', {
      hint: 'outrider sources says when it has ended',
    });
  }
}

function print(terminal: Terminal, form: Form, report: Pulled, items: PulledChunk['items']): void {
  if (form === 'json') {
    printJson(terminal, { ...inSchemaNames(report), items: items.map(inSchemaNames) });
    return;
  }
  if (form === 'tsv') return printFacts(terminal, inSchemaNames(report));
  const { accepted, rejected, alreadyTaken, leftOut, chunks } = report;
  const counts = [
    `${accepted} new ${accepted === 1 ? 'post' : 'posts'}`,
    ...(rejected > 0 ? [`${rejected} refused`] : []),
    `${alreadyTaken} taken before`,
    ...(leftOut > 0 ? [`${leftOut} media left out`] : []),
  ];
  terminal.out(`${counts.join(', ')}, in ${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}`);
  for (const each of items) {
    if (each.verdict === 'rejected') terminal.err(`${each.itemRef}: ${each.reason}`);
  }
  const next = report.nextPullAt ?? undefined;
  if (report.outcome !== 'done') {
    const words = `${outcomes[report.outcome]}${report.reason === undefined ? '' : `: ${report.reason}`}`;
    terminal.err(paint(terminal, report.outcome === 'held' ? 'yellow' : 'red', words));
  }
  if (next !== undefined) terminal.out(`it is read again at ${inFull(next, new Date())}`);
}

const outcomes: Readonly<Record<Exclude<Pulled['outcome'], 'done'>, string>> = {
  held: 'it ended before an item whose medium cannot be fetched',
  failed: 'it could not be read',
  lost: 'another puller took it over, or its configuration changed',
  stopped: 'it was stopped; what came is kept, and the rest comes with the next pull',
};
