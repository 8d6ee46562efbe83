import { describe, expect, it } from 'vitest';
import { judgeAnswer } from '../../src/adapters/telegram/answers.ts';
import { again, answered, closed, content, judge, now, refused } from './telegram-meanings.ts';

describe('an answer of something before Telegram', () => {
  it.each([
    [400, '', content('refused')],
    [413, '', content('validation_failed')],
    [413, '<html><h1>413 Request Entity Too Large</h1></html>', content('validation_failed')],
    [415, '', content('refused')],
    [431, '', content('refused')],
    [404, '<html>', closed('refused')],
    [302, '', again('unexpected_answer')],
  ])('%i %s is judged by its status', (status, body, means) => {
    expect(judge(answered(status, body))).toMatchObject(means);
  });
});

describe('a refusal for the pace', () => {
  const platform = { category: 'TRANSIENT', scope: 'platform', code: 'rate_limited' };
  const words = 'Too Many Requests: retry after 7';

  it.each([
    ['its parameters', refused(429, words, { retry_after: 7 }), 7000],
    ['its parameters, in milliseconds', refused(429, words, { retry_after: 0.0005 }), 1],
    ['its header, where a page answers', answered(429, '<html>', { 'retry-after': '9' }), 9000],
    // No record takes more.
    ['its parameters, for 30 days', refused(429, words, { retry_after: 1e12 }), 2_592_000_000],
    ['its header, for 30 days', answered(429, '', { 'retry-after': '999999999' }), 2_592_000_000],
  ])('asks for a wait by %s', (_what, answer, retryAfterMs) => {
    const error = judge(answer);
    expect(error).toMatchObject(platform);
    expect(error.retryAfterMs).toBe(retryAfterMs);
  });

  it.each([
    ['is missing', refused(429, words)],
    ['is no number', refused(429, words, { retry_after: 'soon' })],
    ['is negative', refused(429, words, { retry_after: -1 })],
  ])('leaves the wait to the queue when its time %s', (_what, answer) => {
    const error = judge(answer);
    expect(error).toMatchObject(platform);
    expect(error.retryAfterMs).toBeUndefined();
  });

  it('believes the parameters before the header', () => {
    const { status, body } = refused(429, words, { retry_after: 7 });
    expect(judge(answered(status, body, { 'retry-after': '3' })).retryAfterMs).toBe(7000);
    const bare = refused(429, words);
    expect(judge(answered(429, bare.body, { 'retry-after': '3' })).retryAfterMs).toBe(3000);
  });

  it.each([
    [400, 'Bad Request: chat not found'],
    [400, 'Bad Request: something new'],
    [401, 'Unauthorized'],
    [403, 'Forbidden: bot was blocked by the user'],
    [404, 'Not Found'],
  ])('is status 429 alone: %i %s asks for no wait', (status, says) => {
    const { body } = refused(status, says, { retry_after: 7 });
    const answer = answered(status, body, { 'retry-after': '9' });
    expect(judge(answer)).not.toHaveProperty('retryAfterMs');
  });
});

describe('a failure of Telegram itself', () => {
  const unknown = { category: 'TRANSIENT', scope: 'delivery', code: 'outcome_unknown' };
  const words = 'Internal Server Error: restart';

  it.each([
    ['its parameters', refused(500, words, { retry_after: 7 }), 7000],
    ['the header of a page', answered(502, '<html>', { 'retry-after': '9' }), 9000],
    ['the header of a timeout', answered(408, '', { 'retry-after': '9' }), 9000],
  ])('leaves the outcome unknown, and asks for a wait by %s', (_what, answer, retryAfterMs) => {
    const error = judge(answer);
    expect(error).toMatchObject(unknown);
    expect(error.retryAfterMs).toBe(retryAfterMs);
  });

  it('leaves the outcome unknown and the wait to the queue when it names no time', () => {
    const error = judge(refused(500, words));
    expect(error).toMatchObject(unknown);
    expect(error.retryAfterMs).toBeUndefined();
  });
});

describe('the chat that a group has become', () => {
  const words = 'Bad Request: group chat was upgraded to a supergroup chat';

  it('is told with the refusal', () => {
    const moved = refused(400, words, { migrate_to_chat_id: -1_009_007_199_254 });
    expect(judgeAnswer(moved, now).movedTo).toBe('-1009007199254');
  });

  it.each([undefined, '-100', 1.5, null])('is not known from the id %s', (id) => {
    const moved = refused(400, words, { migrate_to_chat_id: id });
    expect(judgeAnswer(moved, now)).toMatchObject({ error: { code: 'chat_moved' } });
    expect(judgeAnswer(moved, now).movedTo).toBeUndefined();
  });

  it('is not believed beside another refusal', () => {
    const other = refused(403, 'Forbidden: bot was blocked by the user', { migrate_to_chat_id: 5 });
    expect(judgeAnswer(other, now).movedTo).toBeUndefined();
  });
});

describe('the error', () => {
  it('quotes Telegram, and keeps the answer', () => {
    const error = judge(refused(400, 'Bad Request: chat not found'));
    expect(error.message).toBe('Telegram answers with 400: Bad Request: chat not found');
    expect(error.raw).toEqual({
      status: 400,
      body: { ok: false, error_code: 400, description: 'Bad Request: chat not found' },
    });
  });

  it('quotes no more than a reader takes in', () => {
    expect(judge(refused(400, 'x'.repeat(100_000))).message.length).toBeLessThan(600);
  });

  it('cuts no character in two', () => {
    const { message } = judge(refused(400, `x${'🐕'.repeat(1000)}`));
    expect(message.isWellFormed()).toBe(true);
  });
});
