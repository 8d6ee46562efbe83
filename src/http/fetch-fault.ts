// Why a file could not be fetched, in words of our own. Texts of errors are not used: they quote
// addresses, and the address of a file may carry a credential.

import { AddressRefusedError } from './address-guard.ts';
import { wireFaultOf } from './wire-fault.ts';

export type FetchFaultCode =
  | 'invalid_url'
  | 'url_refused'
  | 'address_refused'
  | 'redirect_refused'
  | 'not_found'
  | 'forbidden'
  | 'unexpected_answer'
  | 'unavailable'
  | 'untrusted'
  | 'timeout'
  | 'too_large'
  | 'aborted';

/** Ends a fetch. It is thrown inside the guarded fetch only, which returns it as a value. */
export class FetchFault extends Error {
  readonly code: FetchFaultCode;
  /** Whether the same address may work later. */
  readonly transient: boolean;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** What the server answered, if that is what was wrong. */
  readonly status: number | undefined;

  constructor(
    code: FetchFaultCode,
    reason: string,
    { retryAfterMs, status }: Pick<Partial<FetchFault>, 'retryAfterMs' | 'status'> = {},
  ) {
    super(reason);
    this.name = 'FetchFault';
    this.code = code;
    this.transient = code === 'unavailable' || code === 'timeout' || code === 'aborted';
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}

/** What a status means that is neither 200 nor a redirect. */
export function faultOfStatus(status: number, host: string, retryAfterMs?: number): FetchFault {
  const answered = `${host} answered ${status}`;
  if (status === 404 || status === 410) {
    return new FetchFault('not_found', `${answered}: nothing is there`, { status });
  }
  if (status === 401 || status === 403) {
    const reason = `${answered}: it does not give the file to everyone`;
    return new FetchFault('forbidden', reason, { status });
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const reason = `${answered}: it cannot give the file at present`;
    return new FetchFault('unavailable', reason, { retryAfterMs, status });
  }
  return new FetchFault('unexpected_answer', `${answered} instead of 200`, { status });
}

const codeOfKind = {
  unavailable: 'unavailable',
  timeout: 'timeout',
  untrusted: 'untrusted',
  not_http: 'unexpected_answer',
} as const;

/** What went wrong with the connection; throws any other error again. */
export function faultOfWire(error: unknown, host: string): FetchFault {
  if (error instanceof AddressRefusedError) return new FetchFault('address_refused', error.message);
  const fault = wireFaultOf(error);
  if (fault === undefined) throw error;
  return new FetchFault(codeOfKind[fault.kind], `${host} ${fault.words}`);
}
