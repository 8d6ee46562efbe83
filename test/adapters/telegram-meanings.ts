import type { SendError } from '../../src/adapters/adapter.ts';
import type { ErrorCode } from '../../src/adapters/error-codes.ts';
import { judgeAnswer } from '../../src/adapters/telegram/answers.ts';
import type { Answered } from '../../src/http/transport.ts';

export const now = new Date('2026-03-01T12:00:00Z');

export function answered(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Answered {
  return { kind: 'answered', status, headers, body };
}

/** A refusal in the form of Telegram. */
export function refused(status: number, description: string, parameters?: object): Answered {
  const body = { ok: false, error_code: status, description, parameters };
  return answered(status, JSON.stringify(body));
}

export function judge(answer: Answered): SendError {
  return judgeAnswer(answer, now).error;
}

/** What the adapter makes of an answer. */
export interface Meaning {
  readonly category: string;
  readonly scope: string;
  readonly code: ErrorCode;
}

export const content = (code: ErrorCode): Meaning => ({
  category: 'PERMANENT',
  scope: 'delivery',
  code,
});
export const closed = (code: ErrorCode): Meaning => ({
  category: 'PERMANENT',
  scope: 'channel',
  code,
});
export const again = (code: ErrorCode): Meaning => ({
  category: 'TRANSIENT',
  scope: 'delivery',
  code,
});
export const unknown = again('outcome_unknown');
export const newToken: Meaning = {
  category: 'TRANSIENT',
  scope: 'platform',
  code: 'credential_refused',
};
