// The gateway: adapters, sources, alert targets and the media store behind HTTP, for programs that orchestrate by SQL, such
// as n8n. It takes rows as functions of the database hand them out, and answers with what other functions take. It never
// commits: what became of a row is the caller's to record, and a caller that dies leaves a lease that runs out.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import { shareOfOne } from '../dispatch/calls.ts';
import type { Answer } from '../http/answer.ts';
import type { Incoming } from '../http/body.ts';
import type { Area } from '../http/server.ts';
import type { Log } from '../log.ts';
import type { MediaFetcher } from '../media/media-fetcher.ts';
import type { Tell } from '../monitor/targets/target.ts';
import { type Caller, createDelivering, type DeliveringOptions } from './deliver.ts';
import { importPost } from './import-post.ts';
import { type ReadingMeans, readChunk } from './read-chunk.ts';
import { notARow, refusalFor } from './refusal.ts';
import { createRoom, type Place, type Room } from './room.ts';
import { readExactly, readRow, whenGone } from './row-request.ts';
import { DeliverRequest, ImportRequest, PullRequest, ReplyRequest, TellRequest } from './rows.ts';
import { createReplying, type ReplyingOptions } from './send-reply.ts';
import { createTelling } from './tell.ts';
import { refuseStranger, type TokenOptions } from './token.ts';

export interface GatewayOptions extends TokenOptions {
  /** For leases, which must not wait for anything else. */
  readonly leases: Queryable;
  /** For the rest. */
  readonly client: Queryable;
  readonly log: Log;
  readonly clock: Clock;
  readonly deliver: DeliveringOptions['deliver'];
  readonly sendReply: ReplyingOptions['sendReply'];
  readonly tell: Tell;
  readonly sources: ReadingMeans;
  readonly fetcher: MediaFetcher;
  /** The most sends at once. */
  readonly concurrency: number;
}

export interface Gateway {
  readonly area: Area;
  /** Waits until nothing is under way; its server takes nothing new by then. */
  stop(): Promise<void>;
}

/** Chunks and imports at once; each holds a connection to the database for a moment, and files for longer. */
const readsAtOnce = 8;
const mostBytes = 64 * 1024 * 1024;

export function createGateway(options: GatewayOptions): Gateway {
  const { client, leases, log, concurrency, fetcher, sources } = options;
  const sending = createRoom({ most: concurrency, mostOfOne: shareOfOne(concurrency), mostBytes });
  const reading = createRoom({ most: readsAtOnce, mostOfOne: shareOfOne(readsAtOnce), mostBytes });
  const delivering = createDelivering({ ...options, client: leases });
  const replying = createReplying({ ...options, client: leases });
  const telling = createTelling({ ...options, client: leases });

  const area: Area = async (app, { halted }) => {
    app.setErrorHandler((error, _request, reply) => reply.answer(refusalFor(error), error));

    /** A route that takes rows of one form. */
    function take<Schema extends z.ZodType<{ readonly workspaceId: string }>>(
      address: string,
      room: Room,
      schema: Schema,
      work: (row: z.output<Schema>, caller: Caller, request: FastifyRequest) => Promise<Answer>,
    ): void {
      onRow(address, room, async (incoming, request) => {
        const read = await readRow(incoming, schema);
        if (!read.ok) return read.refusal;
        incoming.countFor(read.row.workspaceId);
        return work(read.row, { gone: incoming.gone, halted }, request);
      });
    }

    function onRow(
      address: string,
      room: Room,
      work: (incoming: GatewayRequest, request: FastifyRequest) => Promise<Answer>,
    ): void {
      app.post(address, async (request: FastifyRequest, reply: FastifyReply) => {
        const incoming = { raw: request.raw, response: reply.raw };
        const gone = whenGone(incoming);
        const onGone = (): void => {
          if (reply.raw.writableFinished) return;
          log.debug('a caller has gone before its answer', { path: address });
        };
        gone.addEventListener('abort', onGone, { once: true });
        const stranger = await refuseStranger(options, request.raw.headers);
        if (stranger !== undefined) return reply.answer(stranger);
        const answer = await room.within((place) => work({ ...incoming, ...place, gone }, request));
        return reply.answer(answer);
      });
    }

    take('/v1/deliver', sending, DeliverRequest, ({ workspaceId, ...delivery }, caller) =>
      delivering.deliver(workspaceId, delivery, caller),
    );
    take('/v1/bot/send', sending, ReplyRequest, (reply, caller) => replying.send(reply, caller));
    take('/v1/alerts', sending, TellRequest, (claimed, caller) => telling.tell(claimed, caller));
    take('/v1/pull/:source_id', reading, PullRequest, async (claimed, caller, request) => {
      if (!isNamed(request.params, claimed.sourceId)) {
        return notARow('source_id: it is not the source of the address');
      }
      return readChunk(sources, claimed, caller);
    });
    onRow('/v1/media/import', reading, async (incoming) => {
      const read = await readExactly(incoming);
      if (!read.ok) return read.refusal;
      const parsed = ImportRequest.safeParse(read.row);
      if (!parsed.success) return notARow('it must have workspace_id, and a post as payload');
      incoming.countFor(parsed.data.workspaceId);
      return importPost({ client, fetcher }, parsed.data, { gone: incoming.gone, halted });
    });
  };

  return {
    area,
    async stop() {
      await Promise.all([sending.idle(), reading.idle()]);
      delivering.stop();
      replying.stop();
      log.info('stopped sending for others');
    },
  };
}

interface GatewayRequest extends Incoming, Place {
  readonly gone: AbortSignal;
}

function isNamed(params: unknown, sourceId: string): boolean {
  return (
    typeof params === 'object' && params !== null && Reflect.get(params, 'source_id') === sourceId
  );
}
