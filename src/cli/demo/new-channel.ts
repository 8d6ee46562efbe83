import { chats } from './chats.ts';
import type { Scene } from './script.ts';
import { allDone } from './stage.ts';
import { statesOf, verdictsOf } from './words.ts';

const first = 'Ginger dog, answers to Bim. Lost near the station.';
const second = 'Grey cat with a white paw. Found in the park.';

export const newChannel: Scene = {
  title: 'A new channel is a row, not a deployment',
  async play(stage, script) {
    script.say('A post comes in over HTTP; the answer says what becomes of it in every channel:');
    const before = await stage.post({ title: 'Lost dog', text: first, tags: ['lost'] });
    script.show(verdictsOf(before));
    await allDone(stage, before.message_id);

    const { pid } = stage.worker;
    const city = chats['tg-city'];
    stage.sandbox.telegram.simulator.control('chats', {
      id: Number(city.id),
      type: 'channel',
      title: 'City',
    });
    script.say('One more row in `channels`, while the worker runs:');
    script.show([`tg-city    telegram ${city.id}`]);
    await stage.apply({
      channels: {
        'tg-city': {
          platform: 'telegram',
          target_id: city.id,
          auth_ref: 'telegram-bot',
          title: 'City',
        },
      },
    });

    script.say('The next post:');
    const after = await stage.post({
      title: 'Found cat',
      text: second,
      tags: ['found'],
      fields: { kind: 'Found' },
    });
    await allDone(stage, after.message_id);
    script.show(statesOf(await stage.deliveries(after.message_id)));
    const shown = stage.posts(city.platform, city.id).map((each) => each.text);
    script.check(
      'the new channel shows the next post, and only that',
      shown.length === 1 && (shown[0]?.includes(second) ?? false),
    );
    script.check('the worker is the same process as before', stage.worker.pid === pid);
  },
};
