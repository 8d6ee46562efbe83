import type { SendError } from '../../src/adapters/adapter.ts';
import { judgeAnswer } from '../../src/adapters/telegram/answers.ts';
import type { Answered } from '../../src/adapters/transport.ts';

export const now = new Date('2026-03-01T12:00:00Z');

export function answered(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Answered {
  return { kind: 'answered', status, headers, body };
}

/** As Telegram says no. */
export function refused(status: number, description: string, parameters?: object): Answered {
  const body = { ok: false, error_code: status, description, parameters };
  return answered(status, JSON.stringify(body));
}

export function judge(answer: Answered): SendError {
  return judgeAnswer(answer, now).error;
}

/** What an answer is judged to be. */
export interface Meaning {
  readonly category: string;
  readonly scope: string;
  readonly code: string;
}

export const content = (code: string): Meaning => ({
  category: 'PERMANENT',
  scope: 'delivery',
  code,
});
export const closed = (code: string): Meaning => ({
  category: 'PERMANENT',
  scope: 'channel',
  code,
});
export const again = (code: string): Meaning => ({
  category: 'TRANSIENT',
  scope: 'delivery',
  code,
});
export const unknown = again('outcome_unknown');
