// A call that the platform counts, made at the pace that `beforeCall` allows.

import type { HttpRequest, Reply, Transport } from '../http/transport.ts';
import type { BeforeCall, CountedCall } from './adapter.ts';

/** Calls outside of a send have no `beforeCall`: nobody paces them. */
export async function sendPaced(
  transport: Transport,
  beforeCall: BeforeCall | undefined,
  call: CountedCall,
  request: HttpRequest,
): Promise<Reply> {
  const reason = await beforeCall?.(call);
  if (reason !== undefined) return { kind: 'not_sent', code: 'aborted', reason };
  return transport.send(request);
}
