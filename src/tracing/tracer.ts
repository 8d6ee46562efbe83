// Makes spans of what a process tells about its work. A post and its deliveries are one trace, whoever takes the post in
// and whoever sends:
//
//   POST /v1/ingest           the request; its id can be told from the ids of the deliveries. Or `pull`, or `enqueue`
//     enqueue                 the call of the database that keeps the post
//     deliver telegram        an attempt to send one delivery, in the process that sends
//       claim                 the call of the database that hands it out
//       send telegram         the calls of the platform
//       commit                until the outcome is recorded

import type { AttemptFacts, KeptPost, PostFacts, Watcher } from '../observer.ts';
import type { Sampling } from '../tracing-settings.ts';
import type { Exporter } from './exporter.ts';
import type { AttributeValue, Span } from './otlp.ts';
import { isInShare, newSpanId, newTraceId, spanOfIntake, traceIdOf } from './trace-ids.ts';

export interface TracerOptions {
  readonly exporter: Pick<Exporter, 'add'>;
  readonly sampling: Sampling;
}

export function createTracer({ exporter, sampling }: TracerOptions): Watcher {
  return {
    post(facts) {
      const { caller, kept } = facts;
      const traceId =
        kept === undefined ? (caller?.traceId ?? newTraceId()) : traceIdOf(kept.traceId);
      // A post that brings a trace id of its own is not in the trace of its request.
      const parent = caller?.traceId === traceId ? caller : undefined;
      const isKept =
        sampling.asksCaller && parent !== undefined
          ? parent.isSampled
          : isInShare(traceId, sampling.ratio);
      if (isKept) exporter.add(spansOfPost(facts, traceId, parent?.spanId));
    },
    attempt(facts) {
      const traceId = traceIdOf(facts.traceId);
      if (isInShare(traceId, sampling.ratio)) exporter.add(spansOfAttempt(facts, traceId));
    },
  };
}

const ways = {
  push: { name: 'POST /v1/ingest', kind: 'server' },
  pull: { name: 'pull', kind: 'client' },
  call: { name: 'enqueue', kind: 'client' },
} as const;

const ofDatabase = { 'db.system.name': 'postgresql' };

function spansOfPost(
  { way, startedAt, endedAt, status = 0, kept }: PostFacts,
  traceId: string,
  parentSpanId: string | undefined,
): Span[] {
  const at = inUnixTime();
  const spanId = kept?.deliveryId === undefined ? newSpanId() : spanOfIntake(kept.deliveryId);
  const ofRequest = {
    'http.request.method': 'POST',
    'http.route': '/v1/ingest',
    'http.response.status_code': status,
  };
  const request: Span = {
    traceId,
    spanId,
    parentSpanId,
    ...ways[way],
    startMs: at(startedAt),
    endMs: at(endedAt),
    attributes: {
      ...(way === 'push' ? ofRequest : {}),
      ...(kept === undefined ? {} : ofPost(kept)),
    },
    error: status >= 500 ? String(status) : undefined,
  };
  if (kept === undefined || way !== 'push') return [request];
  const enqueue: Span = {
    traceId,
    spanId: newSpanId(),
    parentSpanId: spanId,
    name: 'enqueue',
    kind: 'client',
    startMs: at(kept.askedAt),
    endMs: at(kept.keptAt),
    attributes: ofDatabase,
  };
  return [request, enqueue];
}

function ofPost({ workspaceId, messageId, queued }: KeptPost): Record<string, AttributeValue> {
  return {
    'outrider.workspace_id': workspaceId,
    'outrider.message_id': messageId,
    'outrider.deliveries_queued': queued,
  };
}

function spansOfAttempt(facts: AttemptFacts, traceId: string): Span[] {
  const { platform, code } = facts;
  const at = inUnixTime();
  const spanId = newSpanId();
  const step = (name: string, startedAt: number, endedAt: number) => ({
    traceId,
    spanId: newSpanId(),
    parentSpanId: spanId,
    name,
    kind: 'client' as const,
    startMs: at(startedAt),
    endMs: at(endedAt),
  });
  const isSent = facts.result === 'sent';
  const isRecorded = facts.became !== 'unrecorded' && facts.became !== 'stale';
  const failure = isSent ? undefined : (code ?? facts.result);
  const ofSend = { 'outrider.platform': platform, 'outrider.result': facts.result };
  return [
    {
      traceId,
      spanId,
      parentSpanId: spanOfIntake(facts.deliveryId),
      name: `deliver ${platform}`,
      kind: 'consumer',
      startMs: at(facts.claimAskedAt),
      endMs: at(facts.committedAt),
      attributes: {
        'outrider.workspace_id': facts.workspaceId,
        'outrider.channel_id': facts.channelId,
        'outrider.message_id': facts.messageId,
        'outrider.delivery_id': facts.deliveryId,
        'outrider.attempt': facts.attempt,
        'outrider.became': facts.became,
        ...ofSend,
        'error.type': failure,
      },
      error: failure ?? (isRecorded ? undefined : facts.became),
    },
    { ...step('claim', facts.claimAskedAt, facts.claimedAt), attributes: ofDatabase },
    {
      ...step(`send ${platform}`, facts.sendStartedAt, facts.sendEndedAt),
      attributes: { ...ofSend, 'error.type': failure },
      error: failure,
    },
    {
      ...step('commit', facts.sendEndedAt, facts.committedAt),
      attributes: ofDatabase,
      error: isRecorded ? undefined : facts.became,
    },
  ];
}

/** Times of an observer as Unix time. The difference is taken anew: both clocks run apart over the days. */
function inUnixTime(): (observed: number) => number {
  const difference = Date.now() - performance.now();
  return (observed) => difference + observed;
}
