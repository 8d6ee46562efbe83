import { describe, expect, it } from 'vitest';
import { type FeedToRead, readFeed } from '../../src/pull/feed/read-feed.ts';

function read(text: string, changes: Partial<FeedToRead> = {}) {
  return readFeed({
    bytes: Buffer.from(text),
    contentType: undefined,
    url: 'https://example.org/feeds/all.xml',
    text: 'content',
    media: 'photos',
    imagesFromText: 1,
    tagsFromCategories: false,
    ...changes,
  });
}

const rss = (items: string, attributes = '') =>
  `<rss version="2.0" ${attributes}><channel><title>City news</title>${items}</channel></rss>`;
const media = 'xmlns:media="http://search.yahoo.com/mrss/"';

describe('an item of RSS', () => {
  it('becomes a post', () => {
    const items = read(
      rss(
        `<item><guid isPermaLink="false">42</guid><title>Lost &amp;amp; found</title><link>/posts/42</link>
         <description>Short</description><content:encoded><![CDATA[<p>Long <b>text</b>, <a href="more">more</a></p>]]></content:encoded>
         <dc:creator>Ann</dc:creator><category>Dogs</category><category>Lost</category>
         <pubDate>Mon, 02 Mar 2026 10:00:00 +0300</pubDate></item>`,
        'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"',
      ),
      { tagsFromCategories: true },
    );
    expect(items).toEqual([
      {
        itemRef: '42',
        post: {
          title: 'Lost & found',
          text: 'Long <b>text</b>, <a href="https://example.org/feeds/more">more</a>',
          parse_mode: 'HTML',
          url: 'https://example.org/posts/42',
          tags: ['Dogs', 'Lost'],
          fields: {
            author: 'Ann',
            categories: 'Dogs, Lost',
            published: '2026-03-02T07:00:00.000Z',
            feed: 'City news',
          },
          source_ref: '42',
        },
      },
    ]);
  });

  it.each([
    ['its guid', '<guid>g</guid><link>https://x.org/l</link>', 'g'],
    [
      'its link, when it has no guid',
      '<link>https://x.org/l</link><title>T</title>',
      'https://x.org/l',
    ],
    [
      'what it says, when it has neither',
      '<title>T</title><pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate>',
      expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    ],
    [
      'a hash of its guid, when that is too long',
      `<guid>${'ж'.repeat(300)}</guid>`,
      expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    ],
  ])('is named by %s', (_title, inside, ref) => {
    expect(read(rss(`<item>${inside}</item>`))[0]?.itemRef).toEqual(ref);
  });

  it('without an id is told from others with its link, or without one, by what it says', () => {
    const link = '<link>https://a.example/</link>';
    const items = [
      `<item>${link}<title>One</title><pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate></item>`,
      `<item>${link}<title>Two</title><description>b</description></item>`,
      `<item>${link}<title>Two</title><description>c</description></item>`,
      '<item><title>Same</title><description>d</description></item>',
      '<item><title>Same</title><description>e</description></item>',
    ];
    const refs = read(rss(items.join(''))).map(({ itemRef }) => itemRef);
    expect(new Set(refs).size).toBe(5);
    expect(new Set(read(rss(items.join(''))).map(({ itemRef }) => itemRef))).toEqual(new Set(refs));
  });

  it('without an id stays the same when it is edited, if it has a link of its own or a date', () => {
    const refOf = (inside: string) => read(rss(`<item>${inside}</item>`))[0]?.itemRef;
    const link = '<link>https://a.example/1</link>';
    expect(refOf(`${link}<description>a</description>`)).toBe(
      refOf(`${link}<description>b</description>`),
    );
    const dated = '<title>T</title><pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate>';
    expect(refOf(`${dated}<description>a</description>`)).toBe(
      refOf(`${dated}<description>b</description>`),
    );
  });

  it('is placed by its date, and by its place where it has none', () => {
    const titles = (items: string) => read(rss(items)).map(({ post }) => post.title);
    const item = (title: string, date = '') =>
      `<item><title>${title}</title>${date && `<pubDate>${date}</pubDate>`}</item>`;
    expect(titles(item('c') + item('b') + item('a'))).toEqual(['a', 'b', 'c']);
    const [first, second] = ['Mon, 02 Mar 2026 10:00:00 GMT', '2026-03-02T13:00:00+02:00'];
    expect(titles(item('a', first) + item('b', second))).toEqual(['a', 'b']);
    expect(titles(item('c', second) + item('b') + item('a', first))).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['02.03.2026 10:00', '2026-03-02T10:00:00.000Z'],
    ['2.3.2026', '2026-03-02T00:00:00.000Z'],
    ['Mon, 2 Mar 2026 10:00:00 MSK', '2026-03-02T07:00:00.000Z'],
  ])('has the date that its people mean: %s', (written, published) => {
    const [one] = read(rss(`<item><title>a</title><pubDate>${written}</pubDate></item>`));
    expect(one?.post.fields?.['published']).toBe(published);
  });

  it('is read with a < that begins no tag, and so are those beside it', () => {
    const items = read(
      rss(
        '<item><guid>2</guid><title>Now <50 %</title><description>1<2</description></item>' +
          '<item><guid>1</guid><title><![CDATA[I <3 it]]></title></item>',
      ),
    );
    expect(items.map(({ post }) => [post.title, post.text])).toEqual([
      ['I <3 it', undefined],
      ['Now <50 %', '1<2'],
    ]);
  });

  it('keeps the lines of a text without tags', () => {
    const [one] = read(rss('<item><description>One\nTwo &amp;amp; three</description></item>'));
    expect(one?.post.text).toBe('One\nTwo & three');
  });

  it('shows the text that is asked for', () => {
    const xml = rss(
      '<item><description>Short</description><content:encoded>Long</content:encoded></item>',
      'xmlns:content="http://purl.org/rss/1.0/modules/content/"',
    );
    const text = (wanted: FeedToRead['text']) => read(xml, { text: wanted })[0]?.post.text;
    expect([text('content'), text('summary'), text('none')]).toEqual(['Long', 'Short', undefined]);
  });
});

describe('a feed without items', () => {
  it.each([
    '<rss version="2.0"><channel/></rss>',
    '<rss version="2.0"><channel><title>City news</title></channel></rss>',
    '<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel></channel></rdf:RDF>',
    '<feed xmlns="http://www.w3.org/2005/Atom"/>',
    '{"version": "https://jsonfeed.org/version/1.1", "items": []}',
  ])('is empty, whatever else it lacks: %s', (text) => {
    expect(read(text)).toEqual([]);
  });
});

describe('media of an item', () => {
  const mediaOf = (inside: string, changes?: Partial<FeedToRead>) =>
    read(rss(`<item><guid>1</guid>${inside}</item>`, media), changes)[0]?.post.media?.map(
      ({ type, url }) => `${type} ${url}`,
    );

  it('are its enclosures, once each, by their types', () => {
    const inside =
      '<enclosure url="/a.jpg" type="image/jpeg"/><media:content url="https://example.org/a.jpg" medium="image"/>' +
      '<enclosure url="/b.mp3" type="audio/mpeg"/><enclosure url="/c.mp4"/><enclosure url="/d.svg" type="image/svg+xml"/>';
    expect(mediaOf(inside)).toEqual(['image https://example.org/a.jpg']);
    expect(mediaOf(inside, { media: 'all' })).toEqual([
      'image https://example.org/a.jpg',
      'audio https://example.org/b.mp3',
      'video https://example.org/c.mp4',
    ]);
    expect(mediaOf(inside, { media: 'none' })).toBeUndefined();
  });

  it('are the largest of a group, and a thumbnail only where there is no picture', () => {
    const group =
      '<media:group><media:content url="/s.jpg" medium="image" width="100" height="50"/>' +
      '<media:content url="/l.jpg" medium="image" width="1000" height="500"/></media:group>';
    const thumbnails =
      '<media:thumbnail url="/t1.jpg" width="75" height="50"/><media:thumbnail url="/t2.jpg" width="150" height="100"/>';
    expect(mediaOf(group + thumbnails)).toEqual(['image https://example.org/l.jpg']);
    expect(mediaOf(thumbnails)).toEqual(['image https://example.org/t2.jpg']);
    const text = '<description>&lt;img src="/1.jpg"&gt; Text</description>';
    expect(mediaOf(thumbnails + text)).toEqual(['image https://example.org/1.jpg']);
    expect(mediaOf(thumbnails + text, { imagesFromText: 0 })).toEqual([
      'image https://example.org/t2.jpg',
    ]);
  });

  it('are the first pictures of its text where it has none itself', () => {
    const text = '<description>&lt;img src="/1.jpg"&gt;&lt;img src="/2.jpg"&gt; Text</description>';
    expect(mediaOf(text)).toEqual(['image https://example.org/1.jpg']);
    expect(mediaOf(text, { imagesFromText: 2, text: 'none' })).toHaveLength(2);
    expect(mediaOf(text, { imagesFromText: 0 })).toBeUndefined();
    expect(mediaOf(`${text}<enclosure url="/e.png"/>`)).toEqual([
      'image https://example.org/e.png',
    ]);
  });
});

describe('other formats', () => {
  it('are read alike', () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://atom.example.org/b/"><title>F</title>
      <entry><id>tag:1</id><title type="html">A &amp;lt;b&amp;gt;</title><link rel="self" href="x"/><link href="one"/>
      <link rel="enclosure" type="image/png" href="p.png"/><updated>2026-03-02T10:00:00Z</updated>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Text <em>here</em></p></div></content></entry></feed>`;
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
      <channel rdf:about="https://rdf.example.org"><title>F</title></channel>
      <item rdf:about="https://rdf.example.org/1"><title>R</title><description>Text</description></item></rdf:RDF>`;
    const json = JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'F',
      items: [
        {
          id: '1',
          title: 'J',
          content_text: 'a < b',
          image: 'https://j.example.org/i.png',
          tags: ['t'],
        },
      ],
    });
    expect(read(atom)[0]).toMatchObject({
      itemRef: 'tag:1',
      post: {
        title: 'A <b>',
        text: 'Text <i>here</i>',
        url: 'https://atom.example.org/b/one',
        media: [{ type: 'image', url: 'https://atom.example.org/b/p.png' }],
      },
    });
    expect(read(rdf)[0]).toMatchObject({
      itemRef: 'https://rdf.example.org/1',
      post: { title: 'R', text: 'Text', url: 'https://rdf.example.org/1' },
    });
    expect(read(json)[0]).toMatchObject({
      itemRef: '1',
      post: { title: 'J', text: 'a < b', media: [{ url: 'https://j.example.org/i.png' }] },
    });
  });

  it('count relative addresses of Atom from the base that stands nearest', () => {
    const [item] = read(
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/f/"><entry xml:base="e/"><id>1</id>
       <link href="page"/><content type="html" xml:base="c/">&lt;a href="more"&gt;More&lt;/a&gt;&lt;img src="i.png"&gt;</content>
       </entry></feed>`,
    );
    expect(item?.post).toMatchObject({
      url: 'https://a.example/f/e/page',
      text: '<a href="https://a.example/f/e/c/more">More</a>',
      media: [{ url: 'https://a.example/f/e/c/i.png' }],
    });
  });

  it('keep the digits of a number that names an item of JSON Feed', () => {
    const items = read(
      '{"version": "https://jsonfeed.org/version/1", "items": [{"id": 12345678901234567890}, {"id": 12345678901234567891}]}',
    );
    expect(items.map(({ itemRef }) => itemRef)).toEqual([
      '12345678901234567891',
      '12345678901234567890',
    ]);
  });
});
