// Random posts that intake accepts. They are made of the pieces that normalising treats specially, in every order.

import fc from 'fast-check';

function pieces(maxLength: number, ...lines: readonly string[]): fc.Arbitrary<string> {
  const some = lines.flatMap((line) => line.split('|'));
  return fc.array(fc.constantFrom(...some), { maxLength }).map((chosen) => chosen.join(''));
}

export const roughText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: pieces(
      14,
      ' |  |\t|\n|\r\n|\r|\u00a0|\u2003|\u3000|\u0001|\u001f',
      '\u0301|\u0316|\u0331|\u0338|\u20d8|\ufe0f|\u200d',
      'Lost|a|É|e|H|İ|Σ|Пёс|ẞ|\u212b|\u1100\u1161|狗|👍|𝐀|ﬁ',
      '#|&|/|//|:|@|.|,|(|)|<b>|</b>|"|\\|_|*|&amp;|:80|:443|http://',
      'HTTP://Example.COM:80|https://Пример.РФ:443/Путь|https://User:Pw@Host.example',
      'https://H\u0331.example|HTTPS://A.example:443,|https://a.example/?Q=#F',
    ),
  },
  {
    weight: 1, // all but the character that no text of PostgreSQL can hold
    arbitrary: fc
      .string({ unit: 'binary', maxLength: 20 })
      .map((text) => text.replaceAll('\0', '')),
  },
);

/** A text that resembles a URL, whether it is one or not. */
export const roughUrl: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', 'http://', 'HTTPS://Example.COM', 'https://a'),
    pieces(
      12,
      'http:|HTTPS:|//|/|.|..|/./|/../|?|#|@|:|:80|:443| |\u00a0|\n|\\|&|=|+',
      '%|%2|%41|%2e|%2F|%c3%a9|%25|%ZZ|4|A|é|É|H\u0331|example|COM|user:pw@',
      '[|]|[::1]|[FE80::A]|\u037e|\u1fef|\u212a|🐕',
    ),
  )
  .map((parts) => parts.join(''));

/** A URL; most of these can be written in other ways, too. */
const url: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('http', 'https', 'HTTP', 'Https'),
    fc.constantFrom('example.com', 'Example.COM', 'ПРИМЕР.рф', '[FE80::A]', 'User:Pw@a.example'),
    fc.constantFrom('', ':', ':80', ':443', ':8080'),
    fc.constantFrom('', '/', '?', '#'),
    pieces(8, '/|a|B|.|..|%41|%2f|%c3|%|-|~|ф|?|&utm_source=X|#|='),
  )
  .map(([scheme, host, port, mark, rest]) => {
    return `${scheme}://${host}${port}${mark === '' && rest !== '' ? '/' : mark}${rest}`;
  });

const words = roughText.map((text) => text.slice(0, 50).toWellFormed());
const mediaItem = fc
  .tuple(
    fc.constantFrom('image', 'photo', 'video', 'audio', 'file', 'document', 'gif', 'animation'),
    fc.oneof(
      url.map((address) => ({ url: address })),
      fc.constantFrom('b1', 'b2', 'B  3').map((ref) => ({ blob_ref: ref })),
    ),
    fc.record({ caption: words, filename: words }, { requiredKeys: [] }),
  )
  .map(([type, where, named]) => ({ type, ...where, ...named }));

/** A post without faults. It has a text, and any of the other fields. */
export const rawPost = fc.record(
  {
    text: roughText.map((text) => `x${text}`),
    parse_mode: fc.constantFrom('HTML', 'Markdown', 'None'),
    title: roughText,
    url,
    links: fc.array(url, { maxLength: 4 }),
    media: fc.array(mediaItem, { maxLength: 4 }),
    buttons: fc.array(
      fc.array(fc.record({ text: words.map((text) => `x${text}`), url }), {
        minLength: 1,
        maxLength: 3,
      }),
      { maxLength: 3 },
    ),
    disable_preview: fc.boolean(),
    fields: fc.dictionary(
      fc.stringMatching(/^f[a-z0-9_]{0,12}$/),
      fc.oneof(roughText, fc.integer(), fc.constantFrom(0, 1.5, 1e21, -2.5e-7, true, false, null)),
      { maxKeys: 5 },
    ),
    tags: fc.array(
      roughText.map((tag) => `t${tag}`),
      { maxLength: 5 },
    ),
  },
  { requiredKeys: ['text'] },
);
