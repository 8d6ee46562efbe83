import { expect } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { api } from '../../src/pull/kinds/api.ts';
import { db } from '../../src/pull/kinds/db.ts';
import { rss } from '../../src/pull/kinds/rss.ts';
import type { Source } from '../../src/pull/source.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { startRawServer } from '../support/http/raw-server.ts';
import { httpStage } from '../support/pull/http-stage.ts';
import { means } from '../support/pull/source-means.ts';
import { describeSource, type SourceStage } from './source-conformance.ts';

const database = await useDatabase();
const auth = { bearer_ref: 'env:SOURCE_SECRET' };

const rssOf = (entries: readonly string[]) =>
  `<rss version="2.0"><channel><title>F</title>${entries.join('')}</channel></rss>`;

describeSource({
  title: 'rss',
  stage: (count) =>
    httpStage(count, {
      answer(items, _url, response) {
        const entries = items
          .toReversed()
          .map(
            (item) =>
              `<item><guid>post-${item}</guid><title>Item ${item}</title>` +
              `<description>&lt;p&gt;Text &lt;b&gt;${item}&lt;/b&gt;&lt;/p&gt;</description></item>`,
          );
        const etag = `"${items.length}"`;
        response.setHeader('etag', etag);
        if (response.req.headers['if-none-match'] === etag) response.writeHead(304).end();
        else response.end(rssOf(entries));
      },
      open: (url, given) => rss.open(rss.keys.parse({ url, auth }), given),
    }),
});

const pageSize = 2;
const itemOf = (item: number) => ({ id: item, name: `Item ${item}`, body: `<i>Text</i> ${item}` });
const map = { item_ref: 'id', title: 'name', html: 'body' };

describeSource({
  title: 'api, all at once',
  stage: (count) =>
    httpStage(count, {
      answer: (items, _url, response) => response.end(JSON.stringify(items.map(itemOf))),
      open: (url, given) =>
        api.open(api.keys.parse({ url, auth, map, order: 'oldest_first' }), given),
    }),
});

describeSource({
  title: 'api, pages with the newest first',
  stage: (count) =>
    httpStage(count, {
      answer(items, url, response) {
        const from = (Number(url.searchParams.get('page')) - 1) * pageSize;
        const page = items
          .toReversed()
          .slice(from, from + pageSize)
          .map(itemOf);
        response.end(JSON.stringify({ data: { posts: page } }));
      },
      open: (url, given) =>
        api.open(
          api.keys.parse({
            url,
            auth,
            items: 'data.posts',
            map,
            paging: { by: 'page', size: pageSize },
          }),
          given,
        ),
    }),
});

describeSource({
  title: 'api, offsets with the oldest first',
  stage: (count) =>
    httpStage(count, {
      answer(items, url, response) {
        const from = Number(url.searchParams.get('offset'));
        response.end(JSON.stringify(items.slice(from, from + pageSize).map(itemOf)));
      },
      open: (url, given) =>
        api.open(
          api.keys.parse({
            url,
            auth,
            map,
            paging: { by: 'offset', size: pageSize },
            order: 'oldest_first',
          }),
          given,
        ),
    }),
});

describeSource({
  title: 'api, cursors with the oldest first',
  stage: (count) =>
    httpStage(count, {
      answer(items, url, response) {
        const from = Number(url.searchParams.get('after') ?? 0);
        const end = from + pageSize;
        const next = end < items.length ? { next: `${end}` } : {};
        response.end(JSON.stringify({ items: items.slice(from, end).map(itemOf), ...next }));
      },
      open: (url, given) =>
        api.open(
          api.keys.parse({
            url,
            auth,
            items: 'items',
            map,
            paging: { by: 'cursor', param: 'after', next: 'next' },
            order: 'oldest_first',
          }),
          given,
        ),
    }),
});

describeSource({
  title: 'api, links with the newest first',
  stage: (count) =>
    httpStage(count, {
      answer(items, url, response) {
        const from = Number(url.searchParams.get('from') ?? 0);
        const end = from + pageSize;
        if (end < items.length)
          response.setHeader('link', `<?from=${end}>; rel="next", <?from=0>; rel="first"`);
        response.end(JSON.stringify(items.toReversed().slice(from, end).map(itemOf)));
      },
      open: (url, given) =>
        api.open(api.keys.parse({ url, auth, map, paging: { by: 'link' } }), given),
    }),
});

let tables = 0;

async function databaseStage(count: number): Promise<SourceStage> {
  tables += 1;
  const table = `posts_${tables}`;
  const opened: Source[] = [];
  let url = database.url;
  // Takes connections and says nothing.
  const silent = await startRawServer(() => undefined);
  const elsewhere = (port: number) => `postgresql://reader:a-password@127.0.0.1:${port}/elsewhere`;
  await database.admin.query(
    `create table ${table} (id bigint primary key, title text not null, body text not null)`,
  );
  const add = () =>
    database.admin.query(
      `insert into ${table}
       select n, 'Item ' || n, '<p>Text ' || n || '</p>' from (select count(*) + 1 as n from ${table}) c`,
    );
  for (let item = 0; item < count; item += 1) await add();
  return {
    secrets: ['a-password', url],
    open() {
      const query = `select id, title, body as html from ${table}`;
      const config = db.keys.parse({ secret_ref: 'env:SOURCE_URL', query, key: ['id'] });
      const one = db.open(config, means({ SOURCE_URL: url }));
      opened.push(one);
      return one;
    },
    add: async () => void (await add()),
    contents: () =>
      queryRows(database.admin, z.unknown(), `select t, t.xmin, t.ctid from ${table} t`),
    async hang() {
      url = elsewhere(silent.port);
      await expect.poll(() => silent.received).toHaveLength(1);
    },
    async leave() {
      url = elsewhere(1);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((one) => one.close()));
      await silent[Symbol.asyncDispose]();
    },
  };
}

describeSource({ title: 'db', stage: databaseStage });
