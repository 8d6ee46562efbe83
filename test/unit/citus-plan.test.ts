import { describe, expect, it } from 'vitest';
import type { Catalogue } from '../../scripts/citus/catalogue.ts';
import { obstaclesOf } from '../../scripts/citus/obstacles.ts';
import { inOrderOfKeys } from '../../scripts/citus/order.ts';
import { type Exceptions, faultsOf, planOf } from '../../scripts/citus/plan.ts';

// A schema of four tables and three functions, and what becomes of it when one thing is changed.

type Relation = Catalogue['relations'][number];
type Routine = Catalogue['routines'][number];

function relation(name: string, more: Partial<Relation> = {}): Relation {
  return {
    name,
    kind: 'table',
    workspace: 'text collate C',
    small_identities: [],
    triggers: [],
    subquery_policies: [],
    ...more,
  };
}

function routine(name: string, body: string, more: Partial<Routine> = {}): Routine {
  return {
    name,
    signature: `outrider.${name}(text)`,
    arguments: ['p_workspace_id'],
    is_public: true,
    body,
    ...more,
  };
}

const platform = {
  table: 'channels',
  name: 'channel_is_on_a_known_platform',
  columns: ['platform'],
  target: 'platforms',
  target_columns: ['platform'],
  is_reset: false,
};
const channel = {
  table: 'deliveries',
  name: 'delivery_is_for_a_known_channel',
  columns: ['workspace_id', 'channel_id'],
  target: 'channels',
  target_columns: ['workspace_id', 'channel_id'],
  is_reset: false,
};

const sound: Catalogue = {
  relations: [
    relation('channels'),
    relation('deliveries'),
    relation('ledger', { workspace: null }),
    relation('platforms', { workspace: null }),
  ],
  uniqueKeys: [
    { table: 'channels', name: 'channels_pkey', columns: ['channel_id', 'workspace_id'] },
    { table: 'deliveries', name: 'deliveries_pkey', columns: ['delivery_id', 'workspace_id'] },
    { table: 'platforms', name: 'platforms_pkey', columns: ['platform'] },
  ],
  foreignKeys: [platform, channel],
  routines: [
    routine('claim', 'select outrider.lock_channels(p_workspace_id)'),
    routine('lock_channels', 'select from outrider.channels, outrider.platforms', {
      is_public: false,
    }),
    routine('migrated', 'select from outrider.ledger', { arguments: [] }),
  ],
};
const none: Exceptions = { functions: {}, keys: {} };

describe('a plan', () => {
  it('splits what has a workspace, copies what its functions read, and leaves the rest', () => {
    expect(planOf(sound, none)).toMatchObject({
      reference: ['platforms'],
      distributed: ['channels', 'deliveries'],
      local: ['ledger'],
      delegated: [{ name: 'claim' }],
      coordinated: [],
    });
    expect(faultsOf(sound, none)).toEqual([]);
  });

  it('copies a table that is looked up without a workspace, and what it refers to', () => {
    const secrets = { table: 'deliveries', name: 'by_secret_idx', columns: ['secret'] };
    const looked = { ...sound, uniqueKeys: [...sound.uniqueKeys, secrets] };
    const excused = { functions: {}, keys: { by_secret_idx: 'the secret tells' } };
    expect(planOf(looked, excused)).toMatchObject({
      reference: ['platforms', 'channels', 'deliveries'],
      distributed: [],
    });
    expect(faultsOf(looked, none)).toEqual([
      'deliveries: the key by_secret_idx has no workspace_id',
    ]);
  });

  it('runs on the coordinator what is excused from taking the workspace', () => {
    const round = routine('next_workspaces', 'select from outrider.deliveries', { arguments: [] });
    const rounds = { ...sound, routines: [...sound.routines, round] };
    const excused = { functions: { next_workspaces: 'all of them' }, keys: {} };
    expect(planOf(rounds, excused).coordinated).toEqual([round]);
    expect(faultsOf(rounds, excused)).toEqual([]);
    expect(faultsOf(rounds, none)).toEqual([
      'next_workspaces does not take p_workspace_id as its first argument',
    ]);
  });

  it('counts a view as rows of workspaces', () => {
    const view = relation('events', { kind: 'view' });
    const reader = routine('timeline', 'select from outrider.events', { arguments: ['p_id'] });
    const viewed = {
      ...sound,
      relations: [...sound.relations, view],
      routines: [...sound.routines, reader],
    };
    expect(planOf(viewed, none).distributed).not.toContain('events');
    expect(faultsOf(viewed, none)).toEqual([
      'timeline does not take p_workspace_id as its first argument',
    ]);
  });

  it('does not take a name in a comment for a call', () => {
    const body = '-- unlike outrider.deliveries\nselect 1';
    const remark = routine('version', body, { arguments: [] });
    const remarked = { ...sound, routines: [...sound.routines, remark] };
    expect(faultsOf(remarked, none)).toEqual([]);
  });
});

describe('a fault', () => {
  it.each<[string, Partial<Catalogue>]>([
    [
      'deliveries: delivery_is_for_a_known_channel refers to another workspace',
      { foreignKeys: [platform, { ...channel, target_columns: ['channel_id', 'workspace_id'] }] },
    ],
    [
      'deliveries: delivery_is_for_a_known_channel refers to another workspace',
      {
        foreignKeys: [
          platform,
          { ...channel, columns: ['channel_id'], target_columns: ['channel_id'] },
        ],
      },
    ],
    [
      'deliveries: delivery_is_for_a_known_channel would change workspace_id by itself',
      { foreignKeys: [platform, { ...channel, is_reset: true }] },
    ],
    [
      'workspace_id is not the same everywhere: text collate C, uuid',
      {
        relations: [relation('channels'), relation('deliveries', { workspace: 'uuid' })],
        foreignKeys: [channel],
      },
    ],
    [
      'deliveries: seq numbers itself, and is no bigint',
      { relations: [relation('channels'), relation('deliveries', { small_identities: ['seq'] })] },
    ],
  ])('is found: %s', (words, changed) => {
    expect(faultsOf({ ...sound, ...changed }, none)).toEqual([expect.stringContaining(words)]);
  });

  it('is an exception that nothing needs', () => {
    const excused = { functions: { claim: 'no longer true' }, keys: { gone_idx: 'gone' } };
    expect(faultsOf(sound, excused)).toEqual([
      'claim is an exception that nothing needs',
      'gone_idx is an exception that nothing needs',
    ]);
  });
});

describe('an obstacle', () => {
  const found = (changed: Partial<Catalogue>): string[] => {
    const catalogue = { ...sound, ...changed };
    return obstaclesOf(catalogue, planOf(catalogue, none)).flatMap(({ where }) => where);
  };
  const claimWith = (body: string): Partial<Catalogue> => ({ routines: [routine('claim', body)] });

  it('is none in a sound schema', () => {
    expect(found({})).toEqual([]);
  });

  it('is a trigger, and a policy with a subquery, unless the table stays local', () => {
    const loaded = { triggers: ['t'], subquery_policies: ['p'] };
    expect(found({ relations: [relation('channels', loaded)] })).toEqual([
      'channels: t',
      'channels: p',
    ]);
    expect(found({ relations: [relation('ledger', { workspace: null, ...loaded })] })).toEqual([]);
  });

  it('is a change of rows by their ctid alone', () => {
    const change = 'update outrider.channels c set x = 1 where c.ctid = any (p_tids)';
    expect(found(claimWith(change))).toEqual(['claim']);
    expect(found(claimWith(`${change} and c.workspace_id = p_workspace_id`))).toEqual([]);
    expect(found(claimWith('select c.ctid from outrider.channels c'))).toEqual([]);
  });

  it('is a write to a table that is copied to every node', () => {
    const write = 'insert into outrider.platforms select from outrider.channels';
    expect(found(claimWith(write))).toEqual(['platforms: claim']);
  });
});

describe('an order', () => {
  it('has what others refer to before them, and names in order otherwise', () => {
    const references = [
      { table: 'a', target: 'c' },
      { table: 'c', target: 'd' },
      { table: 'd', target: 'd' },
    ];
    expect(inOrderOfKeys(['c', 'b', 'a', 'd'], references)).toEqual(['b', 'd', 'c', 'a']);
  });

  it('is refused for tables that refer to one another', () => {
    const references = [
      { table: 'a', target: 'b' },
      { table: 'b', target: 'a' },
    ];
    expect(() => inOrderOfKeys(['a', 'b'], references)).toThrow('a, b refer to one another');
  });
});
