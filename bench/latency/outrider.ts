import { createHash } from 'node:crypto';
import { addEndpoint, bindBot, installOutrider } from '../outrider/workload.ts';
import { openHttpPusher } from './http-pusher.ts';
import { startSending } from './start-sending.ts';
import type { Way } from './way.ts';

const secret = 'secret-of-the-bench';

/** A post over HTTP to one channel: taken in and sent by one process. */
export const outrider: Way = {
  name: 'outrider',
  store: 'postgres',
  settings: { push: 'POST /v1/ingest', channels: 1, roles: 'ingest and dispatch in one process' },
  async prepare(databaseUrl, providerUrl) {
    const admin = await installOutrider(databaseUrl, 1, null);
    await bindBot(admin, 'env:BOT');
    await addEndpoint(admin, createHash('sha256').update(secret).digest('hex'));
    await admin.end();
    const sending = await startSending('outrider', databaseUrl, providerUrl);
    return openHttpPusher(sending, {
      path: '/v1/ingest',
      headers: { authorization: `Bearer ${secret}` },
      bodyOf: ({ title, text, url }) => ({ title, text, url }),
    });
  },
};
