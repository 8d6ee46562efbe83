import type { PostView } from '../../../sandbox/simulator.ts';
import { chats } from './chats.ts';
import type { Scene } from './script.ts';

const lost =
  'Пропала собака! Такса, рыжая, зовут Бусинка. Уралмаш, ул. Кузнецова 5. Телефон 8 (912) 000-11-22, Ольга';
const others = [
  'Найдена кошка, ищем хозяев. Сидит у подъезда, ул. Мира 3',
  'Отдам котят в добрые руки, к лотку приучены',
];

export const lostPetsScene: Scene = {
  title: 'Posts are fetched, too: lost pets from a VK wall',
  async play(stage, script) {
    const { telegram, vk } = stage.sandbox;
    const [group, wall] = [chats['pets-group'], chats['pets-wall']];
    telegram.simulator.control('chats', {
      id: Number(group.id),
      type: 'supergroup',
      title: 'Потеряшки',
    });
    vk.simulator.control('communities', { id: -Number(wall.id), name: 'Потеряшки', admins: [100] });
    vk.simulator.control('communities', { id: 300, name: 'Подслушано' });
    const written = [{ text: lost, photos: [{}, {}] }, ...others.map((text) => ({ text }))];
    vk.simulator.control('posts', { owner_id: -300, posts: written });
    script.say('Three posts on a wall: somebody lost a dog, found a cat, gives kittens away.');
    script.say('presets/lost-pets.yaml reposts what is lost to a Telegram group and to a wall:');
    await stage.applyPreset('lost-pets', {
      VK_OWNERS: '-300',
      TG_ENABLED: 'true',
      TG_CHAT: group.id,
      VK_OUT_ENABLED: 'true',
      VK_OUT_OWNER_ID: wall.id,
    });
    const shown = (): PostView[][] =>
      [group, wall].map(({ platform, id }) => [...stage.posts(platform, id)]);
    // Telegram shows an album as one message for each photo; the text stands with the first.
    await stage.until('the lost dog is reposted', async () =>
      shown().every((posts) => photosIn(posts) === 2),
    );
    script.show(
      shown()[0]?.[0]
        ?.text.split('\n')
        .filter((line) => line !== '') ?? [],
    );
    const texts = shown().map((posts) => posts.map(({ text }) => text).filter(Boolean));
    script.check(
      'the lost dog is in the group and on the wall, with its photos and the phone to call',
      texts.every(([text]) => text?.includes('+79120001122') === true),
    );
    script.check(
      'what was found or is given away is in neither',
      texts.every(({ length }) => length === 1),
    );
  },
};

function photosIn(posts: readonly PostView[]): number {
  return posts.flatMap(({ media }) => media).length;
}
