import { z } from 'zod';
import { openProviders } from '../../roles/providers.ts';
import { oneLine } from '../screen/shown-text.ts';
import type { Scene } from './script.ts';
import type { Stage } from './stage.ts';

const secret = 'what-max-sends-with-every-update';
const person = { user_id: 4242, first_name: 'Аня' };
/** A question, and the three steps of a return. */
const said = [
  'Сколько идёт доставка?',
  'хочу оформить возврат',
  'заказ 104233',
  'не подошёл размер',
] as const;

export const shopBot: Scene = {
  title: 'A bot answers by rules: a customer writes to a shop on MAX',
  async play(stage, script) {
    const { simulator } = stage.sandbox.max;
    script.say('presets/shop-bot.yaml has the rules; MAX is told where the bot listens.');
    await stage.applyPreset('shop-bot', { MAX_BOT_SECRET: secret });
    await subscribe(stage);
    simulator.control('users', person);
    const order = { type: 'dialog', user_id: person.user_id };
    const { chat_id: chat } = z
      .object({ chat_id: z.number() })
      .parse(simulator.control('chats', order));
    const shown = (): string[] => stage.posts('max', String(chat)).map(({ text }) => text);
    for (const [n, text] of said.entries()) {
      simulator.control('write', { chat_id: chat, user_id: person.user_id, text });
      await stage.until(`the bot answers "${text}"`, async () => shown().length === 2 * (n + 1));
      script.show([`${person.first_name}: ${text}`, `bot: ${oneLine(shown().at(-1) ?? '')}`]);
    }
    script.check('each message was answered once', shown().length === 2 * said.length);
    script.check(
      'the bot remembers what it was told in the dialogue',
      ['104233', 'не подошёл размер'].every((each) => shown().at(-1)?.includes(each) === true),
    );
  },
};

/** As `outrider bot subscribe` does. */
async function subscribe({ config, worker }: Stage): Promise<void> {
  const providers = await openProviders(config);
  try {
    const webhook = { url: `${worker.url}/v1/bot/max`, secret };
    const token = config.secrets['MAX_TOKEN'] ?? '';
    const signal = AbortSignal.timeout(10_000);
    const done = await providers.adapters['max']?.webhooks?.subscribe(token, webhook, signal);
    if (done?.ok !== true) throw new Error('MAX did not take the webhook');
  } finally {
    await providers.close();
  }
}
