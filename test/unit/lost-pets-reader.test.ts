import { describe, expect, it } from 'vitest';
import { lostPets } from '../../src/lost-pets/lost-pets.ts';
import { readPost } from '../../src/lost-pets/read-post.ts';

describe('phones', () => {
  it.each([
    '8-912-000-11-22',
    '+7 (912) 000-11-22',
    '89120001122',
    '8 9 1 2 0 0 0 1 1 2 2',
    '8.912.000.11.22',
    '9120001122',
    '8️⃣9️⃣1️⃣2️⃣0️⃣0️⃣0️⃣1️⃣1️⃣2️⃣2️⃣',
    '8-912-ООО-11-22',
    '８９１２０００１１２２',
    '8\u200b912\u200b0001122',
    '8 (912)\u00a0000–11–22',
    'тел89120001122Ольга',
    'https://wa.me/79120001122',
    'дом 5 89120001122',
    'восемь девятьсот двенадцать 000-11-22',
    '8 девятьсот двенадцать ноль ноль ноль одиннадцать двадцать два',
  ])('are read as +7 and ten digits: %s', (written) => {
    expect(readPost(`Пропала собака. ${written}`).phones).toEqual(['+79120001122']);
  });

  it.each([
    'Карта 2202 2000 1111 2222',
    'Карта 2202200011112222',
    'чип 643099000111222',
    'ИНН 667000011122',
    'счёт 4081 7810 0000 0000 1111',
    '12.05.2024 в 18:30',
    'vk.com/wall-12345678_98765432101',
    'vk.com/id89120001122',
    'собрано 38 500 из 120 000 рублей',
  ])('are not made of other numbers: %s', (written) => {
    expect(readPost(`Пропала собака. ${written}`).phones).toEqual([]);
  });

  it('come each once, in the order of the text', () => {
    const { phones } = readPost('8-922-000-00-01, 8 912 000 00 02 или +79220000001');
    expect(phones).toEqual(['+79220000001', '+79120000002']);
  });
});

describe('the type', () => {
  it.each([
    ['lost', 'Пропала собака, рыжая такса, Уралмаш'],
    ['lost', 'Bнимaниe! Пpoпaлa coбaкa'],
    ['lost', 'П Р О П А Л кот'],
    ['lost', 'ПРОПАЛ КОТ!!! РЫЖИЙ'],
    ['lost', 'пропола сабака, завут Шарик'],
    ['lost', 'Фрида не нашлась, ищем собаку дальше'],
    ['lost', 'Кот ушёл вчера и не вернулся'],
    ['found', 'Собака не пропала, а найдена!'],
    ['found', 'Кто потерял спаниеля? Забрали домой'],
    ['found', 'Найдена собака, ищем хозяев'],
    ['sighting', 'Видели таксу у озера, поймать не смогли'],
    ['adoption', 'Отдам котят в добрые руки'],
    ['adoption', 'Найден щенок, ищем ему дом'],
    ['fundraising', 'Сбор на операцию коту, карта 2202 2000 1111 2222'],
    ['news', 'Нашлась! Спасибо всем'],
    ['news', 'Поиск закрыт, собака дома'],
    ['link', 'Смотрите тут https://vk.com/wall-1_2'],
    ['empty', '🐾🐾🐾'],
    ['empty', ''],
    ['unknown', 'Потерян телефон, верните за вознаграждение'],
    ['unknown', 'Пластиковые окна со скидкой'],
  ])('is %s: %s', (type, text) => {
    expect(readPost(text).type).toBe(type);
  });
});

describe('the type of a post in other words', () => {
  it.each([
    ['lost', 'С передержки ушёл наш Семён, кот чёрно-белый, привит, кастрирован'],
    ['lost', 'Кошечка третий день не идёт домой'],
    ['lost', 'UPD: видели у моста, хромает\n10 июня ушла из ворот собака, лабрадор. Ищем'],
    ['lost', 'Шарик, вернись! Чёрный пёс с седой мордой'],
    ['found', 'Не теряли? Зашёл со мной в лифт котик'],
    ['found', 'Наткнулись в парке на черепаху. Отдадим хозяину по фото'],
    ['found', 'Прибился щенок. Ждём хозяина неделю, потом пристроим'],
    ['found', 'У магазина сидит собака, ошейник красный. Люди, не ваша?'],
    ['sighting', 'Кто искал британца? Похожий кот сидел под лавкой, подойти не дал, удрал'],
    ['sighting', 'Смотрите, кого мы встретили! Хаски без хозяина'],
    ['adoption', 'Умерла бабушка, осталась кошка'],
    ['adoption', 'Кому кролика? С клеткой'],
    ['adoption', 'Нашёл щенка, отмыл. Оставить не могу, нужен хозяин'],
    ['news', 'Пришёл сам на пятые сутки! Пост про пропажу кота удаляю'],
    ['news', 'Осторожно! Тем, у кого пропали животные, пишут мошенники'],
    ['unknown', 'Нашли кошелёк с документами на имя Петрова. Отдадим владельцу'],
    [
      'adoption',
      'Котик Снежок, 1 год. Потерялся он ещё летом, хозяева так и не нашлись, теперь ищем новый дом',
    ],
    ['unknown', 'Подскажите хорошего ветеринара для собаки, у нас аллергия, чешется постоянно'],
    ['unknown', 'У кого собака воет с утра? Имейте совесть, пишу участковому'],
  ])('is %s: %s', (type, text) => {
    expect(readPost(text).type).toBe(type);
  });
});

describe('a post of which no phrase says that a pet is lost', () => {
  it('is not taken for lost by single words', () => {
    const coat = 'белая с серыми пятнами, глаза разные';
    const text = `Нашлась кошка, Академический, ${coat}. Передержка только на 3 дня! 8912 000 68 68`;
    expect(readPost(text).type).not.toBe('lost');
  });
});

describe('contacts', () => {
  it('are names, and no words that look like one', () => {
    const text = 'Пропала собака. Любая информация важна 8 912 000 11 22 Люба';
    expect(readPost(text).contacts).toEqual(['Люба']);
  });
});

describe('the place', () => {
  const rest = ', серая, пушистая';
  it.each([
    // Streets and houses.
    ['на ', 'Большой Садовой 12'],
    ['на ', 'Космонавтов, д. 3 к. 2'],
    ['на ', '8 Марта, 12'],
    ['на ', 'крупской 10'],
    ['на ', 'Вокзальной'],
    ['на ', 'ул. Каландаришвили'],
    ['на ', 'улице Гоголя, между домами 3 и 5'],
    ['на ', 'трассе М-4 Дон, 545 км'],
    ['на ', 'ул. Октябрьской революции'],
    ['между ', 'ул. Ленина и ул. Кирова'],
    // Kinds of places before and after the name.
    ['на ', 'станции Лось'],
    ['на ', 'Тонком мысу в Геленджике'],
    ['в ', 'деревне Большие Ключи'],
    ['в ', 'городе Сызрань'],
    ['у ', 'Дома быта'],
    ['недалеко от ', 'ж/д вокзала'],
    // Parts that stand together.
    ['', 'Балашиха, лесопарк у Пехорки'],
    ['', 'Махачкала, посёлок Семендер, район мечети'],
    ['', 'Куйбышева 55, второй подъезд'],
    ['', 'Метро Сокол, выход к Алабяна'],
  ])('is read after "%s": %s', (preposition, place) => {
    const text =
      preposition === ''
        ? `Пропала кошка. ${place}. Серая`
        : `Пропала кошка ${preposition}${place}${rest}`;
    expect(readPost(text).place).toBe(place);
  });

  it.each([
    ['подъезд 3, ул. Щорса 60', 'подъезд 3, ул. Щорса 60 — третий день живёт кошечка. Чья?'],
    ['Снеговая падь, за прудом', 'Где последний раз видели: Снеговая падь, за прудом\nПропал кот'],
    ['Пермь Закамск', 'Пермь Закамск!!! Убежала такса с ул Маршала Рыбалко 85'],
    ['омск левый берег ул дианова 14', 'пропал хорек омск левый берег ул дианова 14 серебристый'],
    ['Брянск, ул. Литейная', 'Нашли щенка у мусорки, Брянск, ул. Литейная. Ищем хозяев'],
    ['СНТ «Берёзка-2»', 'В нашем СНТ «Берёзка-2» появился алабай. Чей?'],
  ])('is %s: %s', (place, text) => {
    expect(readPost(text).place).toBe(place);
  });

  it.each([
    'Кошка попала под электричку. Сбор на лечение, карта 2202 0000 1111 2222',
    'Долг в клинике за Асю, кошку. Карта 2202 0000 1111 2222, Ксения К. Спасибо',
  ])('is no vehicle, debt or person: %s', (text) => {
    expect(readPost(text).place).toBeUndefined();
  });
});

describe('hostile input', () => {
  const long = 100_000;
  it.each([
    ['digits', '8 9'.repeat(long / 3)],
    ['one digit and then nothing visible', `8${'\u200b'.repeat(long)}`],
    ['letters without an end', 'пропал'.repeat(long / 6)],
    ['brackets', '['.repeat(long)],
    ['links', 'vk.com/a '.repeat(long / 9)],
    ['mentions that do not end', '[id1|'.repeat(long / 5)],
    ['full stops', 'ул. '.repeat(long / 4)],
    ['commas', 'Ленина, '.repeat(long / 8)],
    ['spaced letters', 'п '.repeat(long / 2)],
    ['times', 'вчера в 10:00 около '.repeat(long / 20)],
    [
      'words that nobody has seen',
      Array.from({ length: long / 8 }, (_, n) => `слово${n}я`).join(' '),
    ],
  ])('of %s is read in a moment', (_, text) => {
    const from = performance.now();
    readPost(text);
    // A wide margin for a busy machine: what backtracks takes minutes.
    expect(performance.now() - from).toBeLessThan(10_000);
  });
});

describe('a post that was read', () => {
  const post = {
    text: 'Пропал пёс Рекс, хаски, 2 года. Уралмаш, ул. Кузнецова 5. 8-912-000-11-22 Ольга',
    url: 'https://vk.com/wall-1_2',
    tags: ['wall'],
    fields: { owner_id: -1, accounts: 'id7' },
  };

  it('has the tags of its type and its animal beside its own', () => {
    expect(lostPets(post).tags).toEqual(['wall', 'lost', 'dog']);
  });

  it('has fields for templates beside its own', () => {
    expect(lostPets(post).fields).toEqual({
      icon: '🔎',
      kind: 'Пропал пёс',
      animal: 'dog',
      sex: 'male',
      breed: 'хаски',
      age: '2 года',
      name: 'Рекс',
      place: 'Уралмаш, ул. Кузнецова 5',
      phones: '+79120001122',
      contacts: 'Ольга',
      vk: 'https://vk.com/id7',
      owner_id: -1,
      accounts: 'id7',
    });
  });

  it('keeps everything else', () => {
    expect(lostPets(post)).toMatchObject({ text: post.text, url: post.url });
  });

  it.each([
    ['Пропала кошка', '🔎', 'Пропала кошка'],
    ['Пропал питомец', '🔎', 'Пропал питомец'],
    ['Найдена собака, ищем хозяев', '✅', 'Найдена собака'],
    ['Видели кота у озера, поймать не смогли', '👀', 'Замечен кот'],
    ['Отдам кота в добрые руки', '🏠', 'Кот ищет дом'],
    ['Сбор на операцию собаке', '💳', 'Нужна помощь: собака'],
  ])('is headed by what it is about: %s', (text, icon, kind) => {
    expect(lostPets({ text }).fields).toMatchObject({ icon, kind });
  });

  it('has no heading if it is about no pet', () => {
    expect(lostPets({ text: 'Пластиковые окна' })).toEqual({
      text: 'Пластиковые окна',
      tags: ['unknown'],
      fields: {},
    });
  });
});
