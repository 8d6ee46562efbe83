// What went wrong on the wire, in words of our own. Texts of errors are not used: they quote addresses.

import { errors } from 'undici';
import { SourceError } from './multipart.ts';

export interface Fault {
  readonly code: string;
  readonly reason: string;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be resolved at present',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be made in time',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped in the middle',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut off',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too long',
  UND_ERR_INVALID_ARG: 'the request cannot be written as HTTP',
  UND_ERR_CLOSED: 'the transport is closed',
  UND_ERR_DESTROYED: 'the transport is closed',
};

export function faultOf(error: Error): Fault {
  if (error instanceof SourceError) return { code: error.code, reason: error.message };
  if (error instanceof errors.HTTPParserError) {
    return { code: 'not_http', reason: 'the answer is not HTTP' };
  }
  const code = codeOf(error);
  return { code, reason: `${reasons[code] ?? family(code)} (${code})` };
}

function family(code: string): string {
  if (/CERT|SSL|TLS|SIGNATURE|ISSUER|EPROTO/.test(code)) {
    return 'no secure connection could be made';
  }
  return 'the connection failed';
}

// A code is a word in capitals; anything else might be text with an address in it.
function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'UNKNOWN';
}
