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
