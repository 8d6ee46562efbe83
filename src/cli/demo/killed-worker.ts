import { chats } from './chats.ts';
import type { Scene } from './script.ts';
import { allDone } from './stage.ts';
import { statesOf, timelineOf } from './words.ts';

const text = 'The worker died while it sent this.';

export const killedWorker: Scene = {
  title: 'The worker is killed in the middle of sending',
  async play(stage, script) {
    script.say(
      'The providers take the next post and keep silent, as when a connection breaks at the worst moment.',
    );
    stage.sandbox.faults.add({ kind: 'half_open', stored: true });
    const accepted = await stage.post({ title: 'Hard times', text });
    const names = ['tg-news', 'tg-city', 'max-news', 'vk-wall'] as const;
    const shown = (name: (typeof names)[number]): number => {
      const { platform, id } = chats[name];
      return stage.posts(platform, id).filter((each) => each.text.includes(text)).length;
    };
    await stage.until('the providers have the post', async () =>
      names.every((name) => shown(name) > 0),
    );

    const { pid } = stage.worker;
    await stage.worker.kill();
    stage.sandbox.faults.clear();
    script.say(`kill -9 ${pid}. What the database knows:`);
    script.show(statesOf(await stage.deliveries(accepted.message_id)));
    await stage.startWorker();
    script.say(
      `A new worker, ${stage.worker.pid}. The leases of the dead one end, and its deliveries go out again:`,
    );
    await allDone(stage, accepted.message_id);
    const deliveries = await stage.deliveries(accepted.message_id);
    script.show(statesOf(deliveries));
    const wall = deliveries.find((each) => each.channelId === 'vk-wall');
    script.say('The delivery to vk-wall, event by event:');
    const { events } = await stage.show(wall?.deliveryId ?? '');
    script.show(timelineOf(events));

    script.check(
      'nothing is lost: every delivery is sent',
      deliveries.length === names.length && deliveries.every((each) => each.status === 'sent'),
    );
    script.check('VK shows it once: it knows the repeat by its key', shown('vk-wall') === 1);
    script.check('MAX shows it once: the chat was read first', shown('max-news') === 1);
    const twice = (['tg-news', 'tg-city'] as const).every((name) => [1, 2].includes(shown(name)));
    script.check('Telegram, which offers neither, shows it at most twice', twice);
    script.say(
      `(tg-news shows it ${shown('tg-news')} times. With "on_unknown": "hold" it is left to an operator instead.)`,
    );
  },
};
