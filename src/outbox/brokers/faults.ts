// What went wrong between us and a broker, in words of our own. Texts of clients and servers are not
// passed on: they quote addresses, and Redis has been seen to quote the password.

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

/** How the code behind a broker says what happened, where its client has no error for it. */
export class FaultError extends Error {
  readonly fault: BrokerFault;

  constructor(fault: BrokerFault) {
    super(fault.message);
    this.name = 'FaultError';
    this.fault = fault;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the broker refused the connection',
  ENOTFOUND: 'the host name of the broker is not known',
  EAI_AGAIN: 'the host name of the broker cannot be resolved at present',
  EHOSTUNREACH: 'there is no way to the broker',
  ENETUNREACH: 'there is no way to the network of the broker',
  ETIMEDOUT: 'the connection to the broker timed out',
  ECONNRESET: 'the connection to the broker was reset',
  ECONNABORTED: 'the connection to the broker was broken off',
  EPIPE: 'the connection to the broker was closed',
};

/** For errors that no broker has its own words for: nothing is known but that it did not work. */
export function connectionFault(error: unknown): BrokerFault {
  if (error instanceof FaultError) return error.fault;
  const code = socketCode(error);
  if (code === undefined) {
    return unavailable('connection_lost', 'the connection to the broker failed');
  }
  if (/CERT|SSL|TLS|SIGNATURE|ISSUER|EPROTO/.test(code)) {
    return unavailable('not_secure', `no secure connection to the broker could be made (${code})`);
  }
  const reason = reasons[code] ?? 'the connection to the broker failed';
  return unavailable('unreachable', `${reason} (${code})`);
}

// A code is a word in capitals; anything else might be text with an address in it. Clients wrap what the
// socket said, several times over when they tried several addresses.
function socketCode(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string' && /^E[A-Z0-9_]{2,63}$|^[A-Z_]*(CERT|SSL|TLS)[A-Z_]*$/.test(code)) {
    return code;
  }
  const inner: unknown[] = [Reflect.get(error, 'cause'), Reflect.get(error, 'errors')].flat();
  return inner.map((each) => socketCode(each, depth + 1)).find((found) => found !== undefined);
}
