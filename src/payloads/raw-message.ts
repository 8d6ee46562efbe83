// A request or an answer as the bytes that are kept of it: its head in the form of HTTP, then its body as it came.

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn, as Node has them. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
}

const maxAnswerBytes = 64 * 1024;

/** The secret of an endpoint is no part of a payload; nor are cookies, which belong to whoever sent them. */
const leftOut = new Set([
  'authorization',
  'proxy-authorization',
  'x-outrider-secret',
  'cookie',
  'set-cookie',
]);

/** Of a long body the first 64 KiB. */
export function answerBytes({ status, headers, body }: RawAnswer): Buffer {
  const bytes = Buffer.from(body);
  const kept = bytes.subarray(0, maxAnswerBytes);
  const cut =
    kept.byteLength < bytes.byteLength ? [['outrider-cut-from', `${bytes.byteLength}`]] : [];
  return message(`HTTP/1.1 ${status}`, [...Object.entries(headers), ...cut], kept);
}

export function requestBytes({ method, path, rawHeaders, body }: RawRequest): Buffer {
  const pairs = rawHeaders.flatMap((name, n) =>
    n % 2 === 0 ? [[name, rawHeaders[n + 1] ?? '']] : [],
  );
  return message(`${method} ${path} HTTP/1.1`, pairs, body);
}

function message(first: string, headers: readonly (readonly string[])[], body: Uint8Array): Buffer {
  const lines = headers.map(([name = '', value = '']) => {
    return `${name}: ${leftOut.has(name.toLowerCase()) ? '(left out)' : value}`;
  });
  return Buffer.concat([Buffer.from(`${[first, ...lines].join('\r\n')}\r\n\r\n`), body]);
}
