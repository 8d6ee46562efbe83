// What an S3 server says no with, in words and with what to do. Only its code is repeated: its texts quote the access key
// and what was signed.

import type { StreamedReply } from '../http/streamed-call.ts';
import { StoreAwayError } from './origin-store.ts';

/** What a server said instead of doing what it was asked. */
export interface S3Refusal {
  readonly status: number;
  /** As in `NoSuchBucket`; undefined when the answer has none. */
  readonly code: string | undefined;
}

type Row = readonly [words: string, hint: string];

const keys: Row = [
  'the server does not accept the access key',
  'check OUTRIDER_S3_ACCESS_KEY_ID, and the secret that OUTRIDER_S3_SECRET_KEY_REF names',
];
const denied: Row = [
  'access is denied',
  'let the access key read, write, list and delete objects of the bucket',
];
const region: Row = [
  'the bucket is in another region, or at another address',
  'correct OUTRIDER_S3_REGION or OUTRIDER_S3_ENDPOINT',
];

const rows: Readonly<Record<string, Row>> = {
  NoSuchBucket: ['there is no such bucket', 'make the bucket, or correct OUTRIDER_S3_BUCKET'],
  InvalidBucketName: ['no bucket can have this name', 'correct OUTRIDER_S3_BUCKET'],
  AccessDenied: denied,
  InvalidAccessKeyId: keys,
  SignatureDoesNotMatch: keys,
  RequestTimeTooSkewed: [
    'the clocks of this machine and of the server differ too much',
    'set the clock of this machine',
  ],
  AuthorizationHeaderMalformed: region,
  PermanentRedirect: region,
  TemporaryRedirect: region,
};

const later: Row = [
  'the server cannot do it now',
  'nothing, if it passes; else look at the server',
];
const odd: Row = [
  'the server answers in a way that is not of S3',
  'check OUTRIDER_S3_ENDPOINT: it is the address of the S3 API, without the bucket',
];

export function refusalFault(place: string, { status, code }: S3Refusal): StoreAwayError {
  const known = code === undefined ? undefined : rows[code];
  const [words, hint] = known ?? (status === 403 ? denied : status >= 429 ? later : odd);
  const said = [status, code].filter((each) => each !== undefined).join(' ');
  return new StoreAwayError(`media cannot be kept in ${place}: ${words} (${said})`, hint);
}

/** The server said yes, and not as S3 does. */
export function oddFault(place: string): StoreAwayError {
  const [words, hint] = odd;
  return new StoreAwayError(`media cannot be kept in ${place}: ${words}`, hint);
}

export function wireFault(
  place: string,
  { code, words }: Extract<StreamedReply, { kind: 'failed' }>,
): StoreAwayError {
  return new StoreAwayError(
    `media cannot be kept in ${place}: the server ${words} (${code})`,
    'see that the server runs and can be reached from here, or correct OUTRIDER_S3_ENDPOINT',
  );
}

export function secretFault(place: string, reason: string): StoreAwayError {
  return new StoreAwayError(
    `media cannot be kept in ${place}: ${reason}`,
    'OUTRIDER_S3_SECRET_KEY_REF says where the secret key is: env:NAME or file:PATH',
  );
}

/** Whether the same call may succeed a moment later. */
export function isPassing({ status }: S3Refusal): boolean {
  return status === 429 || status >= 500;
}
