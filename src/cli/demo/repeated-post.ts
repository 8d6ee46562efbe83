import { chats } from './chats.ts';
import type { Scene } from './script.ts';
import { allDone } from './stage.ts';
import { verdictsOf } from './words.ts';

export const repeatedPost: Scene = {
  title: 'The same post again: every channel has it once',
  async play(stage, script) {
    const text = 'Black terrier with a red collar. Lost by the river.';
    const post = { title: 'Lost terrier', text, tags: ['lost'] };
    const first = await stage.post({ ...post, source_ref: 'feed-1' });
    await allDone(stage, first.message_id);
    const has = (name: keyof typeof chats): number => {
      const { platform, id } = chats[name];
      return stage.posts(platform, id).filter((each) => each.text.includes(text)).length;
    };
    script.check(
      'two channels of one platform both show it',
      has('tg-news') + has('tg-pets') === 2,
    );

    script.say('It comes in again, from another source and with other spacing:');
    const again = await stage.post({
      ...post,
      text: `  ${text.replace(' ', '   ')} `,
      source_ref: 'feed-2',
    });
    script.show(verdictsOf(again));
    const routed = again.channels.filter((each) => each.verdict !== 'not_routed');
    script.check(
      'every channel that has it is left alone',
      again.message_id === first.message_id && routed.every((each) => each.verdict === 'deduped'),
    );
    const names = ['tg-news', 'tg-pets', 'tg-city', 'max-news', 'max-pets', 'vk-wall'] as const;
    script.check(
      'every chat still shows it once',
      names.every((name) => has(name) === 1),
    );
  },
};
