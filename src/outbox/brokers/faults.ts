// What went wrong between us and a broker, in words of our own. Texts of clients and servers are not
// passed on: they quote addresses, and Redis has been seen to quote the password.

import { type WireFault, wireFaultOf } from '../../http/wire-fault.ts';
import type { BrokerFault } from '../broker.ts';

export function refused(code: string, message: string): BrokerFault {
  return { kind: 'refused', code, message };
}

export function unavailable(code: string, message: string, retryAfterMs?: number): BrokerFault {
  return {
    kind: 'unavailable',
    code,
    message,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

export function tooLarge(bytes: number, limit: number): BrokerFault {
  return refused(
    'too_large',
    `the event has ${bytes} bytes, and the broker takes ${limit} at most`,
  );
}

export const closedFault = unavailable('closed', 'the broker was closed');

/** A fault as an exception, for the code of a broker whose client has no error for it. */
export class FaultError extends Error {
  readonly fault: BrokerFault;

  constructor(fault: BrokerFault) {
    super(fault.message);
    this.name = 'FaultError';
    this.fault = fault;
  }
}

/** The fault of an error that the broker has no words for: all that is known is that the call failed. */
export function connectionFault(error: unknown): BrokerFault {
  if (error instanceof FaultError) return error.fault;
  const fault = wireFaultOf(error);
  if (fault === undefined) {
    return unavailable('connection_lost', 'the connection to the broker failed');
  }
  return unavailable(codeOf(fault), `the broker ${fault.words} (${fault.code})`);
}

function codeOf({ kind, mayHaveArrived }: WireFault): string {
  if (kind === 'untrusted') return 'not_secure';
  return mayHaveArrived ? 'connection_lost' : 'unreachable';
}
