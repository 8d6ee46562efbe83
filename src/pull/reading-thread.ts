// Reads what a stranger wrote in a thread of its own, with limits of time and memory. Parsers of markup have inputs on which
// they work for minutes; in the main thread sends and commits would wait for that. A process has two such threads, for one
// input at a time each: one for small inputs, which are soon read, and one for large ones, so that only a
// large input waits for a large one. A thread runs while there is something to read. This file is both ends: the threads
// run it, too, and they alone load the parsers.

import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { FeedToRead } from './feed/read-feed.ts';
import type { HtmlOptions, HtmlReading } from './html/read-html.ts';
import type { Done, Job } from './reading-job.ts';
import type { SourceItem } from './source.ts';
import { SourceError } from './source-error.ts';

export interface ReadingLimits {
  readonly signal: AbortSignal;
  /** How long one input may take. */
  readonly timeoutMs?: number | undefined;
}

/** The items of a feed, oldest first. `named` begins the sentence of an error: the host. */
export async function readFeedApart(
  feed: FeedToRead,
  named: string,
  limits: ReadingLimits,
): Promise<readonly SourceItem[]> {
  const done = await inTurn({ feed }, limits);
  if ('items' in done) return done.items;
  throw new SourceError(`${named} ${'fault' in done ? done.fault : oddAnswer}`);
}

/** Each text of HTML as the text of a post. */
export async function readHtmlApart(
  texts: readonly string[],
  options: HtmlOptions,
  limits: ReadingLimits,
): Promise<readonly HtmlReading[]> {
  if (texts.length === 0) return [];
  const done = await inTurn({ texts, options }, limits);
  if ('readings' in done) return done.readings;
  throw new SourceError(`the source ${'fault' in done ? done.fault : oddAnswer}`);
}

const oddAnswer = 'gave an answer of another kind';
const megabytes = 512;
const longestMs = 10_000;
const restMs = 60_000;

/** Tells our threads from others that load this file, such as those of a test runner. */
const ours = 'outrider reads';

/** A thread, and whose turn it is there. */
interface Lane {
  thread: Worker | undefined;
  turn: Promise<unknown>;
  resting: NodeJS.Timeout | undefined;
}

const emptyLane = (): Lane => ({
  thread: undefined,
  turn: Promise.resolve(),
  resting: undefined,
});
const lanes = { small: emptyLane(), large: emptyLane() };
const largestOfSmall = 256 * 1024;

async function inTurn(job: Job, limits: ReadingLimits): Promise<Done> {
  const lane = sizeOf(job) > largestOfSmall ? lanes.large : lanes.small;
  const done = lane.turn.then(() => doIn(lane, job, limits));
  lane.turn = done.catch(() => undefined);
  return done;
}

function sizeOf(job: Job): number {
  if ('feed' in job) return job.feed.bytes.byteLength;
  return job.texts.reduce((sum, text) => sum + text.length, 0);
}

function runningThread(lane: Lane): Worker {
  clearTimeout(lane.resting);
  lane.thread ??= new Worker(new URL(import.meta.url), {
    workerData: ours,
    env: {}, // what it reads is a stranger's, so it knows no secret
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  });
  lane.thread.ref();
  return lane.thread;
}

/** A thread whose job did not end is not used again. */
async function doIn(lane: Lane, job: Job, limits: ReadingLimits): Promise<Done> {
  const worker = runningThread(lane);
  const { signal, timeoutMs = longestMs } = limits;
  let isDone = false;
  let late: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    return await new Promise<Done>((resolve, reject) => {
      stop = () => reject(new SourceError('the look was stopped'));
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      late = setTimeout(() => {
        resolve({ fault: `sends what takes more than ${timeoutMs / 1000} s to read` });
      }, timeoutMs);
      worker.once('message', (done: Done) => {
        isDone = true;
        resolve(done);
      });
      worker.once('error', (error) => {
        const isFull = Reflect.get(Object(error), 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
        if (isFull) resolve({ fault: `sends what takes more than ${megabytes} MB to read` });
        else reject(error);
      });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node has no origin
      worker.postMessage(job);
    });
  } finally {
    clearTimeout(late);
    if (stop !== undefined) signal.removeEventListener('abort', stop);
    worker.removeAllListeners('message').removeAllListeners('error');
    if (isDone) rest(lane, worker);
    else await end(lane, worker);
  }
}

/** It keeps no process alive, and ends when nothing comes for a while. */
function rest(lane: Lane, worker: Worker): void {
  worker.unref();
  lane.resting = setTimeout(() => void end(lane, worker), restMs).unref();
}

async function end(lane: Lane, worker: Worker): Promise<void> {
  if (lane.thread === worker) lane.thread = undefined;
  worker.once('error', () => undefined); // it may fail as it ends
  await worker.terminate();
}

if (workerData === ours) {
  const { doneWith } = await import('./reading-job.ts');
  parentPort?.on('message', (job: Job) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of Node has no origin
    parentPort?.postMessage(doneWith(job));
  });
}
