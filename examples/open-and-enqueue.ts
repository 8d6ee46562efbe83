// Outrider inside a program: configures a workspace, takes a post in, and shows what became of it. The platform is a
// simulator, so that nothing leaves the machine.
//
//   npm run example examples/open-and-enqueue.ts

import { setTimeout as delay } from 'node:timers/promises';
import { openOutrider, silentLog } from 'outrider';
import { startSandbox } from 'outrider/sandbox';
import { applyWorkspace } from 'outrider/sql';

const token = '4200:secret';
const sandbox = await startSandbox({ makesChats: true });
sandbox.telegram.simulator.control('bots', { token, username: 'city_bot' });

// For real: no `apiUrls`, and a token in the environment instead of `secrets`.
const config = { apiUrls: sandbox.apiUrls, secrets: { TELEGRAM_TOKEN: token } };
const outrider = await openOutrider(config, { log: silentLog });
try {
  const document = {
    workspace: 'city',
    name: 'Lost pets of the city',
    credentials: { bot: { platform: 'telegram', secret_ref: 'env:TELEGRAM_TOKEN' } },
    channels: { news: { platform: 'telegram', target_id: '@lost_pets_city', auth_ref: 'bot' } },
  };
  await applyWorkspace(outrider.client, { document, prune: false, dryRun: false });
  await outrider.start(['dispatch', 'upkeep']);

  // The time makes it another post each time: the same post again would be suppressed for a week.
  const post = { text: `Found at ${new Date().toISOString()}: a ginger dog`, tags: ['found'] };
  const { messageId, channels } = await outrider.enqueue('city', post);
  for (const { channelId, verdict } of channels) console.log(`${channelId}: ${verdict}`);

  const ended = ['sent', 'failed_permanent', 'dead'];
  for (let status = ''; !ended.includes(status); await delay(50)) {
    const [delivery] = await outrider.inspect.deliveries({
      workspaceId: 'city',
      messageId,
      limit: 1,
    });
    if (delivery === undefined || delivery.status === status) continue;
    status = delivery.status;
    console.log(`${delivery.channelId}: ${status}`);
  }
  for (const { title, posts } of sandbox.telegram.simulator.chats()) {
    console.log(`${title} shows ${posts.length} post`);
  }
} finally {
  await outrider.stop();
  await sandbox.close();
}
