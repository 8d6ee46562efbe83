import { listChannels } from '../../db/inspect.ts';
import { chats } from './chats.ts';
import type { Scene } from './script.ts';
import { allDone, type Stage, workspaceId } from './stage.ts';
import { timelineOf } from './words.ts';

export const badChannel: Scene = {
  title: 'A channel that throws the bot out harms nobody else',
  async play(stage, script) {
    const pets = chats['max-pets'];
    script.say('The bot is thrown out of the chat behind max-pets. Three posts come in.');
    stage.sandbox.faults.add({ kind: 'kicked', platform: pets.platform, chat: pets.id });
    const lastEvents: string[] = [];
    for (const colour of ['white', 'brown', 'spotted']) {
      const text = `A ${colour} rabbit was lost on Green street.`;
      const accepted = await stage.post({ title: 'Lost rabbit', text, tags: ['lost'] });
      await allDone(stage, accepted.message_id);
      const deliveries = await stage.deliveries(accepted.message_id);
      const refused = deliveries.find((each) => each.channelId === 'max-pets');
      const { events } = await stage.show(refused?.deliveryId ?? '');
      // The second time looks like the first.
      if (colour !== 'brown') {
        script.say(`What becomes of the ${colour} rabbit in max-pets:`);
        script.show(timelineOf(events));
      }
      lastEvents.push(events.at(-1)?.action ?? '');
      const others = deliveries.filter((each) => each.channelId !== 'max-pets');
      script.check(
        `the ${colour} rabbit fails in max-pets and reaches the ${others.length} other channels`,
        refused?.status === 'failed_permanent' && others.every((each) => each.status === 'sent'),
      );
      // The demo has set the pause to a second; by default it is an hour.
      await stage.until('the pause of max-pets is over', async () => {
        const state = await stateOf(stage, 'max-pets');
        return state !== 'paused';
      });
    }
    script.check(
      'a refusal pauses the channel, the third one in a row disables it',
      lastEvents.join() === 'channel_paused,channel_paused,channel_disabled',
    );
    const next = await stage.post({
      title: 'Found',
      text: 'The rabbits are home.',
      tags: ['found'],
      fields: { kind: 'Found' },
    });
    await allDone(stage, next.message_id);
    const verdict = next.channels.find((each) => each.channel_id === 'max-pets');
    script.check('the next post is not even queued for it', verdict?.rule === 'disabled');
    stage.sandbox.faults.clear();
  },
};

async function stateOf(stage: Stage, channelId: string): Promise<string> {
  const channels = await listChannels(stage.client, { workspaceId });
  return channels.find((each) => each.channelId === channelId)?.state ?? 'unknown';
}
