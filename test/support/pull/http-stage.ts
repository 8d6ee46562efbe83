// A source over HTTP, for the conformance suite.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Source } from '../../../src/pull/source.ts';
import type { SourceStage } from '../../pull/source-conformance.ts';
import { freePort } from '../http/free-port.ts';
import { startOrigin } from '../http/media-origins.ts';
import { means } from './source-means.ts';

const secret = 'a-secret-of-the-source';

export interface HttpSource {
  /** Writes the numbers of the items that the source holds, oldest first, as an answer to the request. */
  readonly answer: (items: readonly number[], url: URL, response: ServerResponse) => void;
  readonly open: (url: string, given: ReturnType<typeof means>) => Source;
}

export async function httpStage(count: number, source: HttpSource): Promise<SourceStage> {
  const items = Array.from({ length: count }, (_, index) => index + 1);
  const opened: Source[] = [];
  let called: (() => void) | undefined;
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (called !== undefined) return called();
    if (request.headers.authorization !== `Bearer ${secret}`) return response.writeHead(401).end();
    return source.answer(items, new URL(request.url ?? '', 'http://source'), response);
  };
  // A port that nobody else gets when it leaves.
  const origin = await startOrigin(answer, await freePort());
  return {
    secrets: [secret, encodeURIComponent(secret)],
    open() {
      const one = source.open(origin.url, means({ SOURCE_SECRET: secret }));
      opened.push(one);
      return one;
    },
    add: async () => void items.push(items.length + 1),
    contents: async () => [...items],
    hang: () =>
      new Promise<void>((resolve) => {
        called = resolve;
      }),
    leave: async () => origin[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((one) => one.close()));
      await origin[Symbol.asyncDispose]();
    },
  };
}
