import { createHash } from 'node:crypto';
import { Agent } from 'undici';
import { addEndpoint, bindBot, installOutrider } from '../outrider/workload.ts';
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
    const origin = sending.url ?? '';
    const agent = new Agent();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` };
    return {
      async push({ title, text, url }) {
        const body = JSON.stringify({ title, text, url });
        const request = { origin, path: '/v1/ingest', method: 'POST', headers, body } as const;
        const answer = await agent.request(request);
        const told = await answer.body.text();
        if (answer.statusCode !== 202) throw new Error(`not taken in: ${told}`);
      },
      async close() {
        await agent.close();
        await sending.stop();
      },
    };
  },
};
