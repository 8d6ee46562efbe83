// Posts about lost pets: originals, the same things told again by other sources, and others that only look alike. No real
// people, places or numbers: the codes 900 to 909 with 000-00-.. are nobody's.

export interface Told {
  readonly text: string;
  readonly url?: string;
  /** What the picture looks like, as 16 hex digits. */
  readonly picture?: string;
}

export interface Case {
  readonly title: string;
  readonly first: Told;
  readonly again: Told;
}

const phone = (n: number): string => `8 900 000-${String(n).padStart(2, '0')}-11`;
const sameDigits = (n: number): string => `+7(900)000${String(n).padStart(2, '0')}11`;
const spaced = (n: number): string =>
  `8 9 0 0 0 0 0 ${String(n).padStart(2, '0').split('').join(' ')} 1 1`;

interface Story {
  readonly text: (phone: string) => string;
}

const stories: readonly Story[] = [
  {
    text: (p) =>
      `Пропала собака! 12 ноября в районе Берёзовой рощи убежала рыжая такса, кличка Буся, на шее красный ошейник. Очень ждём дома, дети плачут. Если видели, звоните ${p}, Марина`,
  },
  {
    text: (p) =>
      `Потерялся кот Тимофей, серый полосатый, белые лапки, 3 года, кастрирован. Пропал 5 октября с улицы Садовой, дом 14. Вознаграждение. Тел. ${p}`,
  },
  {
    text: (p) =>
      `Найден пёс у магазина «Колосок» на Полевой. Крупный, чёрный с подпалом, в ошейнике, людей не боится. Ищем хозяев или передержку! ${p} Олег`,
  },
  {
    text: (p) =>
      `Помогите найти хаски! Девочка, голубые глаза, чип. Вчера вечером испугалась салюта и сорвалась с поводка возле парка Энергетиков. Звонить в любое время ${p}`,
  },
  {
    text: (p) =>
      `Отдаётся в добрые руки котёнок, мальчик, 2 месяца, чёрный, к лотку приучен, ест всё. Обработан от паразитов. Самовывоз из Заречного. Телефон: ${p}`,
  },
  {
    text: (p) =>
      `Внимание! В СНТ Ромашка видели стаю из пяти собак, среди них щенок овчарки с больной лапой. Кто может помочь с отловом, пишите Светлане, ${p}`,
  },
  {
    text: (p) =>
      `Убежал попугай корелла, жёлтая голова, оранжевые щёчки. Улетел с балкона на проспекте Мира 7 ноября около полудня. Откликается на Кешу. Просьба позвонить: ${p}`,
  },
  {
    text: (p) =>
      `Пропал английский кокер-спаниель Чарли, окрас палевый, 6 лет, глухой. Последний раз видели на автостанции в четверг. Нуждается в лекарствах! ${p}, Игорь Петрович`,
  },
  {
    text: (p) =>
      `Срочно нужна передержка для кошки Маруси: трёхцветная, стерилизованная, 4 года, ласковая. Хозяйка попала в больницу. Корм и наполнитель с нас. ${p}`,
  },
  {
    text: (p) =>
      `Найдена такса в посёлке Южный, возраст около года, без ошейника, хромает на заднюю лапу. Сейчас в ветклинике на Лесной, 3. Хозяева, отзовитесь: ${p}`,
  },
];

const lookAlikes: Readonly<Record<string, string>> = { а: 'a', е: 'e', о: 'o', с: 'c', р: 'p' };
const latin = (text: string): string =>
  text.replaceAll(/[аеоср]/g, (letter) => lookAlikes[letter] ?? letter);

/** The ways in which sources repeat one another. */
const retellings: readonly (readonly [string, (story: Story, n: number) => Told])[] = [
  [
    'with a hashtag and an emoji',
    ({ text }, n) => ({ text: `❗️❗️ ${text(phone(n))} #пропала #репост` }),
  ],
  ['with the number in another spelling', ({ text }, n) => ({ text: text(sameDigits(n)) })],
  [
    'with a spaced number and in capitals',
    ({ text }, n) => ({ text: text(spaced(n)).toUpperCase() }),
  ],
  [
    'with a line about who sent it',
    ({ text }, n) => ({ text: `Прислали в предложку:\n\n${text(phone(n))}` }),
  ],
  [
    'with Latin look-alikes and without ё',
    ({ text }, n) => ({ text: latin(text(phone(n))).replaceAll('ё', 'е') }),
  ],
  [
    'cut short',
    ({ text }, n) => ({
      text: `${text(phone(n)).split('.').slice(0, 2).join('.')}… ${phone(n)}`,
    }),
  ],
  [
    'in HTML, with other line breaks',
    ({ text }, n) => ({ text: `<b>${text(phone(n)).replaceAll('. ', '.\n')}</b>` }),
  ],
];

export const pairs: readonly Case[] = [
  ...stories.flatMap((story, n) =>
    retellings.map(([how, tell]) => ({
      title: `story ${n} ${how}`,
      first: { text: story.text(phone(n)) },
      again: tell(story, n),
    })),
  ),
  {
    title: 'the same page, with counters in its address',
    first: { text: 'Пропала собака у вокзала, рыжая', url: 'https://vk.com/wall-1_42' },
    again: {
      text: 'Пропала собака у вокзала, рыжая, в ошейнике',
      url: 'https://m.vk.com/wall-1_42?utm_source=feed#top',
    },
  },
  {
    title: 'the same page, and one of them has no text',
    first: { text: 'Пропала собака у вокзала, рыжая', url: 'https://example.org/posts/42' },
    again: { text: 'См.', url: 'https://www.example.org/posts/42/' },
  },
  {
    title: 'the same picture, saved anew, with a text told in other words',
    first: {
      text: 'Пропала собака у вокзала, рыжая такса, помогите найти',
      picture: '8f3c1e7a5b9d2460',
    },
    again: {
      text: 'Ищем таксу! Пропала собака у вокзала вчера вечером, хозяйка ждёт',
      picture: '8f3c1e7a5b9d2463',
    },
  },
  {
    title: 'the same picture without a text',
    first: { text: 'Фото', picture: '0f3c1e7a5b9d2461' },
    again: { text: '', picture: '0f3c1e7a5b9d2461' },
  },
];

/** The same phone of a volunteer or a shelter, and each time another animal. */
const curator = phone(77);
const ofOneCurator: readonly string[] = [
  `Ищет дом кот Барсик! 2 года, рыжий, кастрирован, лоток на отлично, дружит с собаками. Куратор Анна ${curator}`,
  `Ищет дом кошка Мурка! 1 год, чёрная, стерилизована, лоток на отлично, боится собак. Куратор Анна ${curator}`,
  `Ищет дом пёс Граф! 5 лет, метис овчарки, кастрирован, привит, хороший охранник. Куратор Анна ${curator}`,
  `Пропал кот из приюта: серый, пушистый, с надорванным ухом, убежал при перевозке у рынка. Куратор Анна ${curator}`,
  `Нужна помощь на операцию щенку Тобику, сбила машина, перелом таза. Сбор на карту, чеки покажем. Куратор Анна ${curator}`,
  `Найдена собака породы хаски, девочка, голубые глаза, в районе ЖД вокзала, в приюте. Куратор Анна ${curator}`,
];

export const others: readonly Case[] = [
  ...ofOneCurator.flatMap((first, n) =>
    ofOneCurator.flatMap((again, m) =>
      n < m
        ? [
            {
              title: `animals ${n} and ${m} of one curator`,
              first: { text: first },
              again: { text: again },
            },
          ]
        : [],
    ),
  ),
  ...stories.slice(1).map((story, n) => ({
    title: `stories ${n} and ${n + 1} with one phone`,
    first: { text: (stories[n] ?? story).text(curator) },
    again: { text: story.text(curator) },
  })),
  ...stories.map((story, n) => ({
    title: `story ${n} with the phone of somebody else`,
    first: { text: story.text(phone(n)) },
    again: { text: story.text(phone(n + 40)) },
  })),
  {
    title: 'two posts of a digest page',
    first: { text: 'Пропала рыжая такса Буся у вокзала, ждём', url: 'https://example.org/lost' },
    again: { text: 'Найден серый кот на Садовой, ищем хозяев', url: 'https://example.org/lost' },
  },
  {
    title: 'two posts that link to a site',
    first: { text: 'Пропала собака у вокзала, рыжая', url: 'https://example.org/' },
    again: { text: 'Пропала собака у вокзала, чёрная', url: 'https://example.org' },
  },
  {
    title: 'one banner over two animals',
    first: { text: 'Пропала рыжая такса Буся у вокзала, ждём', picture: '8f3c1e7a5b9d2460' },
    again: { text: 'Найден серый кот на Садовой, ищем хозяев', picture: '8f3c1e7a5b9d2460' },
  },
  {
    title: 'two pictures that show nothing',
    first: { text: 'Фото', picture: '0000000000000000' },
    again: { text: '', picture: '0000000000000001' },
  },
  {
    title: 'a digest that brings more than the post before it',
    first: { text: (stories[0] ?? { text: () => '' }).text(curator) },
    again: { text: stories.map((story) => story.text(curator)).join('\n\n') },
  },
];

const [bim = { text: () => '' }, tim = { text: () => '' }] = stories;
const footer =
  'Правила группы: уважайте друг друга, не пишите лишнего в комментариях, объявления о продаже удаляются без предупреждения. Подписывайтесь, делайте репосты, вместе мы поможем каждому хвосту вернуться домой. Предложить новость можно в сообщения сообщества, модератор ответит в течение дня.';

/** Retold so that the rules may well miss them: nobody copies, or somebody adds as much as there was. */
export const hardPairs: readonly Case[] = [
  {
    title: 'told in other words',
    first: { text: bim.text(phone(0)) },
    again: {
      text: `Друзья, потерялась такса Буся (рыжая, ошейник красный). Было это 12 ноября, Берёзовая роща. Контакт Марины: ${phone(0)}`,
    },
  },
  {
    title: 'in one line',
    first: { text: tim.text(phone(1)) },
    again: { text: `Кот Тимофей, Садовая, пропал. ${phone(1)}` },
  },
  {
    title: 'with the rules of a group below it',
    first: { text: bim.text(phone(0)) },
    again: { text: `${bim.text(phone(0))}\n\n${footer}` },
  },
  {
    title: 'cut short, with a word before the number',
    first: { text: bim.text(phone(0)) },
    again: { text: `${bim.text(phone(0)).split('.').slice(0, 2).join('.')}… тел ${phone(0)}` },
  },
  {
    title: 'with the phone in the picture only',
    first: { text: bim.text(phone(0)) },
    again: { text: bim.text('на фото') },
  },
];

const kitten = (which: string): string =>
  `Отдам котёнка в добрые руки, ${which}, 2 месяца, кушает сам, к лотку приучен, мама крысоловка. Самовывоз из Заречного. Телефон: ${phone(55)}`;

/** Others of which hardly a word differs from a post before them. */
export const hardOthers: readonly Case[] = [
  {
    title: 'two kittens of one litter',
    first: { text: kitten('мальчик, чёрный') },
    again: { text: kitten('девочка, рыжая') },
  },
  {
    title: 'a pet that was found, over the old text',
    first: { text: bim.text(phone(0)) },
    again: { text: `НАШЛАСЬ! Спасибо всем! ${bim.text(phone(0))}` },
  },
  {
    title: 'a weekly announcement with another date',
    first: {
      text: `В субботу 14 ноября бесплатная вакцинация собак у клиники на Лесной с 10 до 14 часов, запись по телефону ${phone(56)}`,
    },
    again: {
      text: `В субботу 21 ноября бесплатная вакцинация собак у клиники на Лесной с 10 до 14 часов, запись по телефону ${phone(56)}`,
    },
  },
  {
    title: 'a sighting of a lost pet',
    first: { text: bim.text(phone(0)) },
    again: {
      text: `Видели вашу таксу сегодня утром у заправки на Полевой, бежала в сторону рощи. Для Марины ${phone(0)}`,
    },
  },
];

const p60 = phone(60);
const told = (title: string, first: string, again: string): Case => ({
  title,
  first: { text: first },
  again: { text: again },
});

/** Written to try the rules, which were then changed once more. */
export const laterPairs: readonly Case[] = [
  told(
    'a heading of the group above it',
    `Пропал мопс Пончик, бежевый, на улице Гагарина возле школы, ошейник зелёный. Верните за вознаграждение! ${p60}`,
    `ПОТЕРЯШКИ НАШЕГО ГОРОДА\n\nПропал мопс Пончик, бежевый, на улице Гагарина возле школы, ошейник зелёный. Верните за вознаграждение! ${p60}`,
  ),
  told(
    'one spelling mistake corrected',
    `Потерялась кошка, пушистоя, белая с рыжим хвостом, район Черёмушки, 9 ноября. Хозяйка Галина ${p60}`,
    `Потерялась кошка, пушистая, белая с рыжим хвостом, район Черёмушки, 9 ноября. Хозяйка Галина ${p60}`,
  ),
  told(
    'three spelling mistakes corrected',
    `Патерялась кошка, пушистоя, белая с рыжим хвастом, район Черёмушки, 9 ноября. Хозяйка Галина ${p60}`,
    `Потерялась кошка, пушистая, белая с рыжим хвостом, район Черёмушки, 9 ноября. Хозяйка Галина ${p60}`,
  ),
  told(
    'the date in words instead of digits',
    `Сбежал алабай, белый, огромный, добрый, 10.11.2026 из частного дома на Речной. Помогите вернуть! ${p60}`,
    `Сбежал алабай, белый, огромный, добрый, вчера из частного дома на Речной. Помогите вернуть! ${p60}`,
  ),
  told(
    'without the name of the owner',
    `Найден щенок, девочка, около трёх месяцев, палевая, сидела у подъезда на Кирова. Ищем дом. Наталья ${p60}`,
    `Найден щенок, девочка, около трёх месяцев, палевая, сидела у подъезда на Кирова. Ищем дом. ${p60}`,
  ),
  told(
    'the sentences in another order',
    `Рыжий кот с белой грудкой. Пропал у дома на Лермонтова. Боится чужих, может сидеть в подвале. ${p60}`,
    `Пропал у дома на Лермонтова. Рыжий кот с белой грудкой. Боится чужих, может сидеть в подвале. ${p60}`,
  ),
  told(
    'ordinary words around every number',
    `Пропала черепаха, панцирь 15 см, трещина сбоку, двор на Мира 4. Звоните ${p60}`,
    `Пропала черепаха, панцирь 15 см, трещина сбоку, двор на Мира 4. Звоните, пожалуйста, Вере: ${p60}`,
  ),
  told(
    'a plea of the reposter below it',
    `Потерялся той-терьер Жужа, дрожит, в синем комбинезоне, рынок Центральный. ${p60}`,
    `Потерялся той-терьер Жужа, дрожит, в синем комбинезоне, рынок Центральный. ${p60}\nРепост, не проходите мимо!`,
  ),
];

export const laterOthers: readonly Case[] = [
  told(
    'another dog of the same breeder',
    `Продаются щенки корги, мальчик, рождён 1 сентября, привит, документы. ${p60}`,
    `Продаются щенки корги, девочка, рождена 1 сентября, привита, документы. ${p60}`,
  ),
  told(
    'another kitten, the same words',
    `Отдам котёнка: серый, мальчик, здоров, ест корм. Привезу сама. ${p60}`,
    `Отдам котёнка: белый, мальчик, здоров, ест корм. Привезу сама. ${p60}`,
  ),
  told(
    'the next day of a collection',
    `Сбор на лечение Рекса: нужно 30000, собрано 12000. Перелом лапы, клиника на Лесной. ${p60}`,
    `Сбор на лечение Рекса: нужно 30000, собрано 25500. Перелом лапы, клиника на Лесной. ${p60}`,
  ),
  told(
    'the same owner loses a second cat',
    `Пропал кот Семён, рыжий, улица Лесная, дом 8, убежал вечером. Татьяна ${p60}`,
    `Пропал кот Гоша, чёрный, улица Лесная, дом 8, убежал вечером. Татьяна ${p60}`,
  ),
  told(
    'the same cat is lost in another place',
    `Пропал кот Семён, рыжий, улица Лесная, дом 8, убежал вечером. Татьяна ${p60}`,
    `Пропал кот Семён, рыжий, улица Лесная, дом 19, убежал вечером. Татьяна ${p60}`,
  ),
  told(
    'only the colour differs',
    `В приют приехала собака, девочка, метис, чёрная, ищет дом, стерилизована. Приют «Хвост» ${p60}`,
    `В приют приехала собака, девочка, метис, рыжая, ищет дом, стерилизована. Приют «Хвост» ${p60}`,
  ),
  told(
    'the owner was found',
    `Найден пёс у моста, серый ошейник, ждёт хозяев на передержке. ${p60}`,
    `Хозяева нашлись, всем спасибо! Найден пёс у моста, серый ошейник, ждёт хозяев на передержке. ${p60}`,
  ),
  told(
    'an answer to a post',
    `Пропал хорёк Буч, белый, район порта. ${p60}`,
    `Хорька Буча видели возле порта сегодня в семь утра, сидел под машиной. Хозяевам: ${p60}`,
  ),
];

// Written after the last change of the rules, which has seen none of it.

const p70 = phone(70);

export const unseenPairs: readonly Case[] = [
  told(
    'a question of the group below it',
    `Пропала кошка Фрося, дымчатая, без одного уха, с дачи в Сосновке. Ольга ${p70}`,
    `Пропала кошка Фрося, дымчатая, без одного уха, с дачи в Сосновке. Ольга ${p70}. Кто-нибудь видел?`,
  ),
  told(
    'the breed spelt in another way',
    `Найден йоркширский терьер, мальчик, стриженый, у аптеки на Победы. ${p70}`,
    `Найден йорк, мальчик, стриженый, у аптеки на Победы. ${p70}`,
  ),
  told(
    'emoji between the words',
    `Потерян ключник? Нет, потерян пёс! Джек, чёрный, белая грудь, гаражи на Заводской. ${p70}`,
    `🐶 Потерян ключник? Нет, потерян пёс! 🐾 Джек, чёрный, белая грудь 🤍 гаражи на Заводской ☎️ ${p70}`,
  ),
  told(
    'half of it',
    `Сбежала овчарка Грета, чепрачная, крупная, хромает. Видели на объездной. Боится машин, не ловите, просто позвоните. Корм оставляем у ворот, надеемся на чудо. ${p70}`,
    `Сбежала овчарка Грета, чепрачная, крупная, хромает. Видели на объездной. ${p70}`,
  ),
  told(
    'a number at the end of the sentence',
    `Кролик декоративный, серый, ускакал с участка 41. Дети ищут второй день. ${p70}`,
    `Внимание, соседи! Кролик декоративный, серый, ускакал с участка 41. Дети ищут второй день. ${p70}`,
  ),
  told(
    'with a second phone',
    `Пропал кот Марсель, британец, голубой, 5 лет, улица Новая. ${p70}`,
    `Пропал кот Марсель, британец, голубой, 5 лет, улица Новая. ${p70}, ${phone(71)}`,
  ),
  told(
    'an abbreviation written out',
    `Найдена собака в р-не ул. Чкалова, рыжая, средняя, ошейник с цепью. ${p70}`,
    `Найдена собака в районе улицы Чкалова, рыжая, средняя, ошейник с цепью. ${p70}`,
  ),
  told(
    'the plea moved to the front',
    `Пропал енот Вася, ручной, ошейник со шлейкой, двор на Толстого. Очень просим репост! ${p70}`,
    `Очень просим репост! Пропал енот Вася, ручной, ошейник со шлейкой, двор на Толстого. ${p70}`,
  ),
];

export const unseenOthers: readonly Case[] = [
  told(
    'another name in the same words',
    `Кошечка Ася ищет дом! Ласковая, привита, стерилизована, возраст год. ${p70}`,
    `Кошечка Соня ищет дом! Ласковая, привита, стерилизована, возраст год. ${p70}`,
  ),
  told(
    'another age',
    `Пёс Дик, 3 года, охранник, ищет дом с вольером. ${p70}`,
    `Пёс Дик, 8 лет, охранник, ищет дом с вольером. ${p70}`,
  ),
  told(
    'another street',
    `Найден рыжий котёнок на Пушкина, мурчит, просит еды. ${p70}`,
    `Найден рыжий котёнок на Гоголя, мурчит, просит еды. ${p70}`,
  ),
  told(
    'lost, and found by the same person',
    `Пропал хаски, голубые глаза, парк Победы. ${p70}`,
    `Найден хаски, голубые глаза, парк Победы. ${p70}`,
  ),
  told(
    'a colour that was left out before',
    `Отдам щенка, мальчик, 2 месяца, будет крупным. ${p70}`,
    `Отдам щенка, мальчик, 2 месяца, будет крупным, чёрный с белым. Остался ещё рыжий! ${p70}`,
  ),
  told(
    'words that differ in their vowels only',
    `Потерялся кот, район дома быта, чёрный, хвост трубой. ${p70}`,
    `Потерялся кит, район дома быта, чёрный, хвост трубой. ${p70}`,
  ),
  told(
    'the reward went up',
    `Пропала такса Буся, верните за 5000 рублей, район рощи. ${p70}`,
    `Пропала такса Буся, верните за 15000 рублей, район рощи. ${p70}`,
  ),
  told(
    'a call for people, and one for blankets',
    `Приюту нужны волонтёры на выходные: гулять с собаками, чистить вольеры. ${p70}`,
    `Приюту нужны одеяла и старые куртки: холодно, собаки мёрзнут в вольерах. ${p70}`,
  ),
];
