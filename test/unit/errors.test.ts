import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { fromPostgres, NotFoundError, OutriderError } from '../../src/errors.ts';

function databaseError(fields: Partial<pg.DatabaseError>): pg.DatabaseError {
  const error = new pg.DatabaseError(fields.message ?? 'said so', 0, 'error');
  return Object.assign(error, { severity: 'ERROR' }, fields);
}

describe('an error of PostgreSQL becomes', () => {
  it.each([
    ['OR001', 'invalid_input'],
    ['OR002', 'not_found'],
    ['OR003', 'not_allowed'],
    ['OR004', 'transition_refused'],
    ['22P02', 'invalid_input'],
    ['22P05', 'invalid_input'],
    ['22003', 'invalid_input'],
    ['22007', 'invalid_input'],
    ['22008', 'invalid_input'],
    ['22021', 'invalid_input'],
    ['22023', 'invalid_input'],
    ['23502', 'invalid_input'],
    ['54000', 'invalid_input'],
    ['54001', 'invalid_input'],
    ['42501', 'not_allowed'],
    ['40001', 'database_busy'],
    ['40P01', 'database_busy'],
    ['55P03', 'database_busy'],
    ['57014', 'database_busy'],
    ['08006', 'database_away'],
    ['25006', 'database_away'],
    ['53100', 'database_busy'],
    ['53300', 'database_away'],
    ['57P01', 'database_away'],
    ['57P03', 'database_away'],
    ['23505', 'database_fault'],
    ['42P01', 'database_fault'],
  ])('%s → %s', (state, code) => {
    expect(fromPostgres(databaseError({ code: state })).code).toBe(code);
  });

  it('23514 → invalid_input when a constraint is named, database_busy when none is: the partition was just made', () => {
    const broken = databaseError({ code: '23514', constraint: 'name_is_short' });
    expect(fromPostgres(broken).code).toBe('invalid_input');
    expect(fromPostgres(databaseError({ code: '23514' })).code).toBe('database_busy');
  });

  it('an error of the class of its code, with the same message', () => {
    const error = fromPostgres(databaseError({ code: 'OR002', message: 'no such delivery' }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.name).toBe('NotFoundError');
    expect(error.message).toBe('no such delivery');
  });
});

describe('a lost connection is told apart', () => {
  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
  ])('by what the driver says: %s', (message) => {
    expect(fromPostgres(new Error(message)).code).toBe('database_away');
  });

  it('by the socket’s code', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), {
      code: 'ECONNREFUSED',
    });
    expect(fromPostgres(error)).toMatchObject({
      code: 'database_away',
      message: 'the database cannot be reached (ECONNREFUSED)',
    });
  });
});

describe('what an error says', () => {
  it('leaves values, details and statements out', () => {
    const error = fromPostgres(
      databaseError({
        code: '22P02',
        message: 'invalid input syntax for type uuid: "s3cret"',
        detail: 'Failing row contains (s3cret).',
        hint: 'try s3cret',
        where:
          'SQL statement "select s3cret"\nPL/pgSQL function outrider.f(text) line 7 at PERFORM',
      }),
    );
    expect(JSON.stringify(error) + error.message).not.toContain('s3cret');
    expect(error).toMatchObject({
      message: 'invalid input syntax for type uuid',
      place: 'outrider.f line 7',
    });
  });

  it('leaves out a value that is out of range', () => {
    const message = 'value "99999999999" is out of range for type integer';
    expect(fromPostgres(databaseError({ code: '22003', message })).message).toBe(
      'value is out of range for type integer',
    );
  });

  it('says what to do about a statement that took too long', () => {
    const message = 'canceling statement due to statement timeout';
    const error = fromPostgres(databaseError({ code: '57014', message }));
    expect(error).toMatchObject({ message, hint: expect.stringContaining('outrider doctor') });
  });

  it('keeps our own hints, which are written for the caller', () => {
    const error = fromPostgres(databaseError({ code: 'OR001', hint: 'give a workspace' }));
    expect(error.hint).toBe('give a workspace');
  });

  it('names the constraint', () => {
    const error = fromPostgres(databaseError({ code: '23514', constraint: 'name_is_short' }));
    expect(error.constraint).toBe('name_is_short');
  });
});

it('passes an error of ours unchanged', () => {
  const ours = new OutriderError('configuration', 'x');
  expect(fromPostgres(ours)).toBe(ours);
});

it('maps whatever else was thrown', () => {
  expect(fromPostgres('just text')).toMatchObject({ code: 'database_fault', message: 'just text' });
});
