import { describe, expect, it } from 'vitest';
import { functionFaults, migrationFaults } from '../../scripts/sql-rules.ts';

const house = `-- Gives stale leases back: a sender that died does not keep its deliveries.
create or replace function outrider.recover_leases(
  p_workspace_id text,
  p_share numeric(3, 2) default 0.5,
  variadic p_channels text[] default array[]::text[],
  p_now timestamptz default clock_timestamp(),
  out delivery_id uuid, out became text
)
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  -- An operator's word, in CAPITALS, is no keyword.
  perform format('SELECT %s', "Quoted");
end;
$$;
`;

const bound = `-- Which of two times is later.
create or replace function outrider.later(p_one timestamptz, p_other timestamptz)
  returns timestamptz
  language sql
  immutable
  return greatest(p_one, p_other);
`;

function faults(text: string): string[] {
  return functionFaults('recover_leases', text);
}

describe('a function file', () => {
  it('passes in the house form', () => {
    expect(faults(house)).toEqual([]);
  });

  it('bears the name of its function', () => {
    expect(functionFaults('recover', house)).toEqual(['creates recover_leases, not recover']);
  });

  it('creates one function, and replaces it when it is there', () => {
    const count = (text: string): string[] => faults(text).filter((fault) => /create/.test(fault));
    expect(count(house.replace('create or replace', 'create'))).toHaveLength(1);
    expect(count(house + house)).toHaveLength(1);
  });

  it('starts with a comment', () => {
    expect(faults(`\n${house}`)).toEqual(['does not start with a comment header']);
  });

  it('writes its keywords in lower case', () => {
    expect(faults(house.replace('perform', 'PERFORM'))).toEqual(['is not lower-case: PERFORM']);
  });

  it('does not look behind in a pattern, which would take quadratic time', () => {
    for (const pattern of ['(?<!\\w)8', '(?<=a)8']) {
      expect(faults(house.replace('SELECT %s', pattern))).toEqual(['looks behind in a pattern']);
    }
  });

  it('declares its volatility', () => {
    expect(faults(house.replace('  volatile\n', ''))).toEqual(['does not declare its volatility']);
  });

  it('sets its search path if it is public', () => {
    const granted = `${house}grant execute on function outrider.recover_leases to outrider_worker;\n`;
    expect(faults(granted)).toEqual([]);
    expect(faults(granted.replace('  set search_path = outrider, pg_temp\n', ''))).toEqual([
      'is public and does not set search_path (a body of the form "return …" needs none)',
    ]);
  });

  it('has the search path of its caller if it is a part', () => {
    expect(faults(house.replace('  set search_path = outrider, pg_temp\n', ''))).toEqual([]);
  });

  it('needs no search path if its names are bound when it is created', () => {
    expect(functionFaults('later', bound)).toEqual([]);
  });

  it('searches the temporary schema last if it runs with its owner’s rights', () => {
    const definer = house.replace('  volatile\n', '  volatile\n  security definer\n');
    const fault =
      'runs with its owner’s rights and does not set a search_path that ends in pg_temp';
    expect(faults(definer)).toEqual([]);
    expect(faults(definer.replace(', pg_temp', ''))).toEqual([fault]);
    expect(
      functionFaults('later', bound.replace('immutable', 'immutable security definer')),
    ).toEqual([fault]);
  });

  it('begins the names of its parameters with p_', () => {
    expect(faults(house.replace('p_channels', 'channels').replace('p_now', 'v_now'))).toEqual([
      'has a parameter without p_: channels',
      'has a parameter without p_: v_now',
    ]);
  });

  it('has at most 160 lines', () => {
    const lines = house.split('\n').length - 1;
    expect(faults(house + '--\n'.repeat(160 - lines))).toEqual([]);
    expect(faults(house + '--\n'.repeat(161 - lines))).toEqual(['has 161 lines, more than 160']);
  });
});

describe('a migration', () => {
  it.each(['now()', '(now())', 'current_timestamp', 'clock_timestamp()'])(
    'gives no column the default %s',
    (time) => {
      const table = `create table outrider.posts (made_at timestamptz not null default ${time});`;
      expect(migrationFaults(table)).toEqual(['has a column that defaults to the present time']);
      expect(migrationFaults(`-- ${table}`)).toEqual([]);
    },
  );

  it('gives outbox_events the default that its published contract has', () => {
    const table = 'create table outrider.outbox_events (created_at timestamptz default now());';
    expect(migrationFaults(table)).toEqual([]);
  });

  it('gives it to no other column of outbox_events, and to no other table', () => {
    const fault = ['has a column that defaults to the present time'];
    const other = 'create table outrider.outbox_events (published_at timestamptz default now());';
    expect(migrationFaults(other)).toEqual(fault);
    const table = 'create table outrider.outbox_parked (created_at timestamptz default now());';
    expect(migrationFaults(table)).toEqual(fault);
  });
});
