import { chats } from './chats.ts';
import type { Scene } from './script.ts';
import { allDone } from './stage.ts';
import { statesOf, timelineOf } from './words.ts';

const retryAfter = 2;

export const rateLimit: Scene = {
  title: 'Telegram says 429: the credential waits as long as it was told, then goes on',
  async play(stage, script) {
    const news = chats['tg-news'];
    script.say(
      `The sandbox is told to answer the next send to tg-news with 429, retry_after ${retryAfter}.`,
    );
    stage.sandbox.faults.add({
      kind: 'rate_limited',
      platform: news.platform,
      chat: news.id,
      retryAfter,
      times: 1,
    });
    const accepted = await stage.post({
      title: 'Road works',
      text: 'Main street is closed on Sunday.',
    });
    await allDone(stage, accepted.message_id);
    const deliveries = await stage.deliveries(accepted.message_id);
    script.show(statesOf(deliveries));
    const delivery = deliveries.find((each) => each.channelId === 'tg-news');
    const { events } = await stage.show(delivery?.deliveryId ?? '');
    script.say('The delivery to tg-news, event by event:');
    script.show(timelineOf(events));

    const actions = events.map((each) => each.action);
    script.check(
      'the attempt, the refusal and the retry are on record',
      ['send_attempt', 'retry_scheduled', 'send_attempt', 'sent'].every((action) =>
        actions.includes(action),
      ),
    );
    const [refused, sent] = ['retry_scheduled', 'sent'].map((action) =>
      events.find((each) => each.action === action)?.ts.getTime(),
    );
    script.check(
      `it was sent with the second attempt, no sooner than ${retryAfter} s later`,
      delivery?.attempt === 2 && (sent ?? 0) - (refused ?? 0) >= retryAfter * 1000,
    );
    const shown = stage
      .posts(news.platform, news.id)
      .filter((each) => each.text.includes('Main street'));
    script.check('the chat shows it once', shown.length === 1);
  },
};
