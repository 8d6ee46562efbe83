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
  security definer
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

function faults(
  text: string,
  path = 'db/functions/recovery/internal/recover_leases.sql',
): string[] {
  return functionFaults({ name: 'recover_leases', path, text });
}

function faultsOfBound(text: string): string[] {
  return functionFaults({ name: 'later', path: 'db/functions/shared/later.sql', text });
}

describe('a function file', () => {
  it('passes in the house form', () => {
    expect(faults(house)).toEqual([]);
  });

  it('bears the name of its function', () => {
    const file = { name: 'recover', path: 'db/functions/shared/recover.sql', text: house };
    expect(functionFaults(file)).toEqual(['creates recover_leases, not recover']);
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

  it('sets a search path that ends in pg_temp where anybody may call it', () => {
    const fault = 'is called on anybody’s search_path and does not set one that ends in pg_temp';
    const part = house.replace('  security definer\n', '');
    const trigger = part.replace('  language', '  returns trigger\n  language');
    for (const entrance of [house, trigger]) {
      expect(faults(entrance)).toEqual([]);
      expect(faults(entrance.replace(', pg_temp', ''))).toEqual([fault]);
      expect(faults(entrance.replace('  set search_path = outrider, pg_temp\n', ''))).toEqual([
        fault,
      ]);
    }
    expect(faultsOfBound(bound.replace('immutable', 'immutable security definer'))).toEqual([
      fault,
    ]);
    const unset = granted.replace('  set search_path = outrider, pg_temp\n', '');
    expect(faults(unset.replace('  security definer\n', ''), publicPath)).toEqual([fault]);
  });

  it('inherits the search path of its caller where it is a part', () => {
    const part = house.replace('  security definer\n', '');
    expect(faults(part)).toEqual(['sets search_path, which parts inherit']);
    expect(faults(part.replace('  set search_path = outrider, pg_temp\n', ''))).toEqual([]);
    expect(faultsOfBound(bound)).toEqual([]);
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

const publicPath = 'db/functions/recovery/recover_leases.sql';
const contract =
  'comment on function outrider.recover_leases is $doc$Gives STALE leases back.$doc$;\n';
const granted = `${house.slice(house.indexOf('\n') + 1)}
${contract}
grant execute on function outrider.recover_leases to outrider_worker;
`;

describe('the file of a public function', () => {
  it('passes in the house form', () => {
    expect(faults(granted, publicPath)).toEqual([]);
  });

  it('stands in the folder of its area exactly when it is granted', () => {
    const ungranted = granted.replace(/^grant .*\n/m, '');
    expect(faults(ungranted, publicPath)).toEqual([
      'is granted to nobody: a part of its area belongs in internal/',
    ]);
    const grant = 'grant execute on function outrider.recover_leases to outrider_worker;\n';
    for (const folder of [
      'recovery/internal',
      'intake/internal/compose',
      'check',
      'shared',
      'triggers',
    ]) {
      expect(faults(house + grant, `db/functions/${folder}/recover_leases.sql`)).toEqual([
        'is granted, and only what stands in its area’s own folder may be',
      ]);
    }
  });

  it('has its contract as its comment, and nowhere else', () => {
    const missing = 'has no comment on function, which is its contract';
    expect(faults(granted.replace(contract, ''), publicPath)).toEqual([missing]);
    expect(faults(granted.replace('$doc$Gives', '$doc$\nGives'), publicPath)).toEqual([missing]);
    expect(faults(`-- Gives them back.\n${granted}`, publicPath)).toEqual([
      'has a header beside its comment on function',
    ]);
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
