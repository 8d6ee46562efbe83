// What can go wrong between us and a server, in words of our own. Texts of errors are not used: they quote addresses,
// and some servers have quoted a password.

import { errors } from 'undici';

export interface WireFault {
  /** The system's or the client's name for it, such as ECONNREFUSED. */
  readonly code: string;
  readonly kind: Kind;
  /** What the server did, to be put behind its name: "refused the connection". */
  readonly words: string;
  /** Whether what was sent before can have arrived. */
  readonly mayHaveArrived: boolean;
}

type Kind = 'unavailable' | 'timeout' | 'untrusted' | 'not_http';

type Row = readonly [kind: Kind, words: string, arrival: 'never arrived' | 'may have arrived'];

const lost: Row = ['unavailable', 'broke off the connection', 'may have arrived'];

const rows: Readonly<Record<string, Row>> = {
  ECONNREFUSED: ['unavailable', 'refused the connection', 'never arrived'],
  ENOTFOUND: ['unavailable', 'cannot be found: the host name is not known', 'never arrived'],
  EAI_AGAIN: [
    'unavailable',
    'cannot be found at present: the host name is not resolved',
    'never arrived',
  ],
  EHOSTUNREACH: ['unavailable', 'cannot be reached: there is no way to the host', 'never arrived'],
  ENETUNREACH: [
    'unavailable',
    'cannot be reached: there is no way to the network',
    'never arrived',
  ],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'could not be reached in time', 'never arrived'],
  // Either the connection was being made, or the other side of an open one no longer acknowledges anything.
  ETIMEDOUT: ['timeout', 'could not be reached in time', 'may have arrived'],
  ECONNRESET: lost,
  ECONNABORTED: lost,
  EPIPE: lost,
  UND_ERR_SOCKET: lost,
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'did not answer in time', 'may have arrived'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'stopped in the middle of its answer', 'may have arrived'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    'unavailable',
    'sent another length than it announced',
    'may have arrived',
  ],
  UND_ERR_HEADERS_OVERFLOW: ['unavailable', 'sent headers that are too long', 'may have arrived'],
};

const untrusted: Row = [
  'untrusted',
  'cannot be trusted: no secure connection could be made',
  'never arrived',
];
const notHttp: Row = ['not_http', 'does not speak HTTP', 'may have arrived'];
const other: Row = ['unavailable', 'could not be reached', 'may have arrived'];

/** Undefined when the error is not about a connection. */
export function wireFaultOf(error: unknown): WireFault | undefined {
  if (error instanceof errors.HTTPParserError) return faultOf('not_http', notHttp);
  const code = codeOf(error);
  if (code === undefined) return undefined;
  return faultOf(code, rows[code] ?? (ofTrust.test(code) ? untrusted : other));
}

function faultOf(code: string, [kind, words, arrival]: Row): WireFault {
  return { code, kind, words, mayHaveArrived: arrival === 'may have arrived' };
}

const ofTrust = /CERT|SSL|TLS|SIGNATURE|ISSUER|EPROTO/;

// Clients wrap the error of the socket, or several of them when they tried several addresses.
function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string' && isOfConnection(code)) return code;
  const inner: unknown[] = [Reflect.get(error, 'cause'), Reflect.get(error, 'errors')].flat();
  return inner.map((each) => codeOf(each, depth + 1)).find((found) => found !== undefined);
}

// A word in capitals. Anything else may be text with an address in it, or a client's code for something else.
function isOfConnection(code: string): boolean {
  return (
    /^(E|UND_ERR_)[A-Z0-9_]{2,63}$/.test(code) ||
    (/^[A-Z_]{2,64}$/.test(code) && ofTrust.test(code))
  );
}
