import { describe, expect, it } from 'vitest';
import { readEnvelope } from '../../src/outbox/envelope.ts';

const envelope = {
  version: 1,
  eventId: '01a1e297-400a-7235-87e2-80e5b4614886',
  occurredAt: '2026-03-02T10:00:00.123456Z',
  data: { storeId: '7' },
};

describe('an envelope', () => {
  it.each([
    ['as it is emitted', envelope],
    ['with an actor', { ...envelope, actor: { type: 'user', id: '7' } }],
    [
      'with an actor of another application',
      { ...envelope, actor: { userId: '7', storeId: '1', role: 'clerk' } },
    ],
    ['with a time that has an offset', { ...envelope, occurredAt: '2026-03-02T13:00:00+03:00' }],
    ['with data that is null', { ...envelope, data: null }],
    ['with a field of a later version', { ...envelope, version: 2, trace: 'x' }],
  ])('is read %s', (_title, given) => {
    expect(readEnvelope(JSON.stringify(given))).toEqual(given);
  });

  it.each([
    ['without a version', { ...envelope, version: undefined }, 'version'],
    ['of version 0', { ...envelope, version: 0 }, 'version'],
    ['of version 1.5', { ...envelope, version: 1.5 }, 'version'],
    ['without an id', { ...envelope, eventId: undefined }, 'eventId'],
    ['whose id is none', { ...envelope, eventId: 'first' }, 'eventId'],
    ['whose time is none', { ...envelope, occurredAt: 'soon' }, 'occurredAt'],
    ['whose time has no zone', { ...envelope, occurredAt: '2026-03-02T10:00:00' }, 'occurredAt'],
    ['without data', { ...envelope, data: undefined }, 'data'],
    ['whose actor is null', { ...envelope, actor: null }, 'actor'],
    ['whose actor is a text', { ...envelope, actor: 'ann' }, 'actor'],
    [
      'whose id is nil',
      { ...envelope, eventId: '00000000-0000-0000-0000-000000000000' },
      'eventId',
    ],
  ])('is refused %s, in words that say where', (_title, given, where) => {
    expect(() => readEnvelope(JSON.stringify(given))).toThrow(
      new RegExp(`^this is no event’s envelope: ${where.replace('.', '\\.')}`),
    );
  });

  it.each(['', 'null', '7', '"text"', '[]', '{', '{"secret": "s3cr3t"}'])('is not %s', (given) => {
    let words = '';
    try {
      readEnvelope(given);
    } catch (error) {
      words = String(error);
    }
    expect(words).toMatch(/this is no event’s envelope/);
    expect(words).not.toContain('s3cr3t');
  });
});
