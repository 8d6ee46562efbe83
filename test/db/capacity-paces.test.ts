import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { platforms } from '../../src/adapters/platforms.ts';
import { defaults } from '../../src/cli/capacity/options.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// A calculation needs no database, and has the paces for itself.

const database = await useDatabase();

const Platform = z.object({
  platform: z.string(),
  channel_rps: z.coerce.number(),
  group_rps: z.coerce.number(),
  counts_album_items: z.boolean(),
});

describe('the calculator', () => {
  it('knows the platforms of the catalogue, at its paces', async () => {
    const rows = await queryRows(
      database.admin,
      Platform,
      'select platform, channel_rps, group_rps, counts_album_items from outrider.platforms',
    );
    const known = platforms.map(({ name, pace }) => ({
      platform: name,
      channel_rps: pace.channelRps,
      group_rps: pace.groupRps,
      counts_album_items: pace.countsAlbumItems,
    }));
    expect(new Set(rows)).toEqual(new Set(known));
  });

  it('takes an endpoint to be as fast as one for which nothing is configured', async () => {
    const { rate } = await queryRow(
      database.admin,
      z.object({ rate: z.coerce.number() }),
      `select pg_get_expr(d.adbin, d.adrelid) as rate
       from pg_attrdef d
       join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
       where d.adrelid = 'outrider.workspace_endpoints'::regclass and a.attname = 'ingress_rps'`,
    );
    expect(defaults['ingress-rps']).toBe(rate);
  });
});
