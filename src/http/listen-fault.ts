// Why the HTTP server cannot listen, in words.

import { OutriderError } from '../errors.ts';

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** The error in our words. An error that has nothing to do with the place stays as it is. */
export function listenFault(error: unknown, { host, port }: Place): unknown {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new OutriderError('configuration', `port ${port} is taken`, {
      hint: 'set OUTRIDER_PORT to another one, or stop the program that listens there',
    });
  }
  if (code === 'EACCES') {
    return new OutriderError('configuration', `port ${port} may not be used by this user`, {
      hint: 'set OUTRIDER_PORT to one above 1023',
    });
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new OutriderError('configuration', `${host} is not an address of this machine`, {
      hint: 'set OUTRIDER_HOST to one, such as 127.0.0.1, or 0.0.0.0 for all of them',
    });
  }
  return error;
}
