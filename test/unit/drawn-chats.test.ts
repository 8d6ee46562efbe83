import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { spansOf } from '../../sandbox/drawing/attachments.ts';
import { chatStyles, type DrawnMessage, drawChat } from '../../sandbox/drawing/index.ts';
import { safeMarkup } from '../../sandbox/drawing/safe-markup.ts';

function message(given: Partial<DrawnMessage> = {}): DrawnMessage {
  return { id: '1', html: 'Hello', attachments: [], buttons: [], ...given };
}

function drawn(given: Partial<DrawnMessage>, platform = 'telegram'): string {
  return drawChat({ platform, title: 'News', messages: [message(given)] });
}

interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Every element of the markup as a browser reads it. */
function elements(html: string): Element[] {
  const left: DefaultTreeAdapterTypes.Node[] = [parseFragment(html)];
  const found: Element[] = [];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if ('childNodes' in node) left.push(...node.childNodes);
    if (!('tagName' in node)) continue;
    const attributes = node.attrs.map(({ name, value }) => [name, value] as const);
    found.push({ tag: node.tagName, attributes: Object.fromEntries(attributes) });
  }
  return found;
}

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</li></ol></section><h1>Mine</h1>',
  '<style>*{display:none}</style>',
  '<svg><script>alert(1)</script></svg>',
  '<!--',
  '<![CDATA[x]]>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" java\nscript:alert(1)">x</a>',
  '<b onclick=alert(1) style="position:fixed">x</b>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<form action=/stage/post><button>x</button></form>',
  '<template><b>x',
  '</textarea></title></style></script><meta http-equiv=refresh content=0>',
  '<span class="spoiler" id="stage">x</span>',
  '<base href=//evil.example>',
  '\u0000<b>\u202Ex',
];

describe('what strangers wrote', () => {
  it.each(hostile)('stays in its place wherever it stands: %j', (text) => {
    const all = drawChat({
      platform: text,
      id: text,
      title: text,
      subtitle: text,
      pressForm: 'press',
      messages: [
        {
          id: text,
          author: text,
          html: text,
          attachments: ['photo', 'video', 'document', text].map((kind) => ({
            kind,
            label: text,
            url: text,
            seed: text,
          })),
          buttons: [['url', 'callback', text].map((kind) => ({ text, kind, url: text }))],
          replyTo: text,
          time: text,
          edited: true,
          pinned: true,
        },
        message({ id: 'service', service: true, html: text }),
      ],
    });
    const page = `<main>${all}<i id="after"></i></main>`;
    const found = elements(page);
    const names = new Set(found.map(({ tag }) => tag));
    for (const tag of [
      'script',
      'img',
      'style',
      'iframe',
      'form',
      'meta',
      'base',
      'template',
      'h1',
    ]) {
      expect(names).not.toContain(tag);
    }
    const attributes = found.flatMap((each) => Object.entries(each.attributes));
    expect(attributes.filter(([name]) => /^(on|style|src|srcdoc|action)/.test(name))).toEqual([]);
    const addresses = attributes.flatMap(([name, value]) => (name === 'href' ? [value] : []));
    expect(addresses.filter((value) => !/^https?:/.test(value))).toEqual([]);
    // What the page has behind the chat is not inside of anything that the text has opened.
    const main = parseFragment(page).childNodes[0];
    const kept = main !== undefined && 'childNodes' in main ? main.childNodes.at(-1) : undefined;
    expect(kept).toMatchObject({ tagName: 'i' });
  });

  it('keeps the tags of a message and its words, and closes what it left open', () => {
    expect(safeMarkup('<b>a<i>b</b>c')).toBe('<b>a<i>b</i></b><i>c</i>');
    expect(safeMarkup('1 < 2 &amp; <u>3</u>')).toBe('1 &lt; 2 &amp; <u>3</u>');
    expect(safeMarkup('<pre><code>x</code></pre><blockquote>q</blockquote>')).toBe(
      '<pre><code>x</code></pre><blockquote>q</blockquote>',
    );
    expect(safeMarkup('<span class="spoiler">s</span><span class="x">t</span>')).toBe(
      '<span class="spoiler" tabindex="0">s</span>t',
    );
    expect(safeMarkup('<a href="https://x.ru/?a=1&amp;b=2" id=x>go</a>')).toBe(
      '<a href="https://x.ru/?a=1&amp;b=2" rel="noreferrer noopener" target="_blank">go</a>',
    );
    expect(safeMarkup('<video src=x>words</video>')).toBe('words');
  });

  it('reads markup that nests twenty thousand deep', () => {
    expect(safeMarkup('<code>'.repeat(20_000))).toHaveLength(20_000 * '<code></code>'.length);
  });
});

describe('a chat', () => {
  it('is a section with a heading and a list of articles', () => {
    const html = drawChat({
      platform: 'max',
      title: 'News',
      messages: [message()],
      headingLevel: 3,
    });
    const tags = elements(html).map(({ tag }) => tag);
    expect(tags.filter((tag) => /^(section|h3|ol|li|article)$/.test(tag)).toSorted()).toEqual([
      'article',
      'h3',
      'li',
      'ol',
      'section',
    ]);
    expect(html).toContain('aria-label="News, max"');
  });

  it('has the look of its platform, and a plain one where nobody has drawn the platform', () => {
    const classes = (platform: string) =>
      elements(drawn({}, platform)).map((each) => each.attributes['class']);
    for (const platform of ['telegram', 'max', 'vk']) {
      expect(classes(platform)).toContain(`chat look-${platform}`);
      expect(chatStyles).toContain(`.chat.look-${platform} {`);
    }
    expect(classes('telegram')).toContain('bubble');
    expect(classes('vk')).toContain('post');
    expect(classes('icq')).toContain('chat look-plain');
  });

  it('shows the newest post of a wall first, and the newest message of a chat last', () => {
    const messages = [message({ id: '1' }), message({ id: '2' })];
    const order = (platform: string) =>
      [...drawChat({ platform, title: 'x', messages }).matchAll(/data-message="(\d)"/g)].map(
        ([, id]) => id,
      );
    expect(order('telegram')).toEqual(['1', '2']);
    expect(order('vk')).toEqual(['2', '1']);
  });

  it('says that it is empty', () => {
    expect(drawChat({ platform: 'vk', title: 'x', messages: [] })).toContain('Nothing here yet');
  });

  it('loads nothing, whatever is attached', () => {
    const attachments = ['photo', 'video', 'file'].map((kind) => ({
      kind,
      label: 'x',
      url: 'https://x.ru/a',
    }));
    const loading = elements(drawn({ attachments })).filter(({ tag, attributes }) => {
      return 'src' in attributes || /^(img|link|video|audio|object|embed|use|image)$/.test(tag);
    });
    expect(loading).toEqual([]);
    expect(chatStyles).not.toMatch(/url\(|@import/);
  });
});

describe('a message', () => {
  it('says who wrote it, when, and that it was edited and pinned', () => {
    const html = drawn({
      author: 'Anna',
      time: '2026-01-01T09:05:00Z',
      edited: true,
      pinned: true,
    });
    const clock = new Date('2026-01-01T09:05:00Z').toLocaleTimeString('en-GB', {
      timeStyle: 'short',
    });
    expect(html).toContain('<bdi class="author">Anna</bdi>');
    expect(html).toMatch(
      new RegExp(`<time class="time" datetime="2026-01-01T09:05:00Z"[^>]*>${clock}</time>`),
    );
    expect(html).toContain('<span class="edited">edited</span>');
    expect(html).toContain('<span class="pinned">pinned</span>');
    expect(drawn({})).not.toMatch(/class="(edited|pinned|author|time)"/);
  });

  it('shows the message that it answers, in short and without its markup', () => {
    const first = message({ id: '7', author: 'Bim', html: `<b>${'я'.repeat(200)}</b>` });
    const html = drawChat({
      platform: 'telegram',
      title: 'x',
      messages: [first, message({ id: '8', replyTo: '7' }), message({ id: '9', replyTo: 'gone' })],
    });
    expect(html).toContain(
      `data-reply-to="7"><bdi class="author">Bim</bdi><span class="quoted-text" dir="auto">${'я'.repeat(90)}…</span>`,
    );
    expect(html).toContain('A message that is not there any more');
  });

  it('names the attachments of a message without words in the answer to it', () => {
    const attachments = [{ kind: 'photo', label: 'x' }];
    const messages = [
      message({ id: '1', html: '', attachments }),
      message({ id: '2', replyTo: '1' }),
    ];
    expect(drawChat({ platform: 'max', title: 'x', messages })).toContain(
      'dir="auto">photo</span>',
    );
  });

  it('of the reader stands on the other side, without a name', () => {
    const html = drawn({ own: true, author: 'Me' });
    expect(html).toContain('class="message own"');
    expect(html).not.toContain('class="author"');
  });

  it('of the app itself is a line', () => {
    const html = drawn({ service: true, html: '1 January' });
    expect(html).toContain(
      '<li class="service" data-message="1"><span dir="auto">1 January</span></li>',
    );
  });

  it('has its buttons in rows: those with an address are links, and the others are pressed by a form', () => {
    const buttons = [
      [
        { text: 'Yes', kind: 'callback' },
        { text: 'No', kind: 'callback' },
      ],
      [{ text: 'Site', kind: 'url', url: 'https://x.ru' }],
    ];
    const html = drawChat({
      platform: 'max',
      title: 'x',
      messages: [message({ id: 'm/1', buttons })],
      pressForm: 'press',
    });
    expect(html.match(/class="button-row"/g)).toHaveLength(2);
    const pressed = elements(html).filter(({ tag }) => tag === 'button');
    expect(
      pressed.map(({ attributes }) => `${attributes['value']} ${attributes['form']}`).toSorted(),
    ).toEqual(['m/1/0/0 press', 'm/1/0/1 press']);
    expect(html).toContain('href="https://x.ru"');
    expect(elements(drawn({ buttons })).some(({ tag }) => tag === 'button')).toBe(false);
  });
});

describe('attachments', () => {
  it('are an album of pictures, each with words for who cannot see it, and a list of files', () => {
    const html = drawn({
      attachments: [
        { kind: 'photo', label: 'a.jpg' },
        { kind: 'document', label: 'price.pdf', size: 12_345 },
        { kind: 'video', label: 'b.mp4' },
      ],
    });
    const labels = elements(html).flatMap(({ attributes }) =>
      attributes['role'] === 'img' ? [attributes['aria-label'] ?? ''] : [],
    );
    expect(labels.toSorted()).toEqual(['photo 1 of 2: a.jpg', 'video 2 of 2: b.mp4']);
    expect(html).toContain('<ul class="album" data-count="2">');
    expect(html).toContain(
      '<bdi class="file-name">price.pdf</bdi><span class="file-facts">document, 12 kB</span>',
    );
    expect(html.match(/class="play"/g)).toHaveLength(1);
  });

  it('have one picture where they are the same photo', () => {
    const picture = (seed: string) =>
      /<svg class="picture".*?<\/svg>/.exec(
        drawn({ attachments: [{ kind: 'photo', label: 'x', seed }] }),
      )?.[0];
    expect(picture('a')).toBe(picture('a'));
    expect(picture('a')).not.toBe(picture('b'));
  });

  it.each([
    [1, [6]],
    [2, [3, 3]],
    [3, [6, 3, 3]],
    [4, [6, 2, 2, 2]],
    [5, [3, 3, 2, 2, 2]],
    [7, [3, 3, 3, 3, 2, 2, 2]],
    [10, [3, 3, 3, 3, 2, 2, 2, 2, 2, 2]],
  ])('fill whole rows: %i', (count, spans) => {
    expect(spansOf(count)).toEqual(spans);
  });

  it('leave no hole in any album', () => {
    for (let count = 1; count <= 50; count += 1) {
      const spans = spansOf(count);
      expect([spans.length, spans.reduce((sum, span) => sum + span, 0) % 6]).toEqual([count, 0]);
    }
  });
});
