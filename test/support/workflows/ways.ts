// The ways in which a call of the gateway ends, and what is to be recorded then.

/** A way in which a call of the gateway ends, and what is to be recorded then. */
export interface Way {
  readonly answer: (row: Row) => object;
  /** Of a delivery. */
  readonly ends: string;
  /** Of an answer of a bot, where it differs. */
  readonly endsReply?: string;
}

export type Row = Readonly<Record<string, unknown>>;

export const refusal = (statusCode: number, code: string) => (): object => ({
  statusCode,
  body: { error: { code, message: code } },
});
export const failed = (code: string) => (): object => ({ error: { code, message: '' } });
const entry = (row: Row, said: object): object => ({
  statusCode: 200,
  body: {
    delivery_id: row['delivery_id'],
    reply_id: row['reply_id'],
    claim_token: row['claim_token'],
    ...said,
  },
});
const refused = (category: string) => ({
  ok: false,
  error: { category, scope: 'delivery', code: category, outcome: 'refused' },
});

export const ways: Readonly<Record<string, Way>> = {
  sent: {
    answer: (row) =>
      entry(row, { ok: true, provider_message_id: `of ${String(row['claim_token'])}` }),
    ends: 'sent',
  },
  'failed for now': {
    answer: (row) => entry(row, refused('TRANSIENT')),
    ends: 'refused TRANSIENT',
  },
  'failed for good': {
    answer: (row) => entry(row, refused('PERMANENT')),
    ends: 'refused PERMANENT',
  },
  'not reached': { answer: failed('ECONNREFUSED'), ends: 'not_sent unreachable' },
  'no such name': { answer: failed('ENOTFOUND'), ends: 'not_sent unreachable' },
  'wrong token': { answer: refusal(401, 'wrong_token'), ends: 'not_sent aborted' },
  'no row': { answer: refusal(422, 'not_a_row'), ends: 'not_sent aborted' },
  'body too slow': { answer: refusal(408, 'request_timeout'), ends: 'not_sent aborted' },
  stopping: { answer: refusal(503, 'stopping'), ends: 'not_sent aborted' },
  full: { answer: refusal(429, 'no_room'), ends: 'released', endsReply: 'not_sent aborted' },
  broken: { answer: refusal(500, 'internal'), ends: 'unknown outcome_unknown' },
  reset: { answer: failed('ECONNRESET'), ends: 'unknown outcome_unknown' },
  'timed out': { answer: failed('ECONNABORTED'), ends: 'unknown outcome_unknown' },
  "a proxy's 503": {
    answer: () => ({ statusCode: 503, body: {} }),
    ends: 'unknown outcome_unknown',
  },
  'no outcome': {
    answer: () => ({ statusCode: 200, body: {} }),
    ends: 'unknown outcome_unknown',
  },
  'no JSON': {
    answer: () => ({ error: 'Response body is not valid JSON.' }),
    ends: 'unknown outcome_unknown',
  },
};
