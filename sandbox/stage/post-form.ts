// Turns the form of the page into a post, as programs send it.

const videos = /\.(mp4|mov|webm)(\?|$)/i;
const pictures = /\.(jpe?g|png|webp|bmp|heic)(\?|$)/i;
const moving = /\.gif(\?|$)/i;

export const mostPhotos = 10;

/** `origin` is where the sandbox is: the photos of the stage are fetched from there. */
export function readPost(
  form: Readonly<Record<string, string>>,
  origin: string,
): Record<string, unknown> {
  const given = (name: string): string => (form[name] ?? '').trim();
  const media = [...ownPhotos(given('photos'), origin), ...linesOf(given('media')).map(medium)];
  const buttons = linesOf(given('buttons')).map((line) => [button(line)]);
  const tags = given('tags')
    .split(/[\s,]+/)
    .filter((tag) => tag !== '');
  return {
    ...(given('title') !== '' && { title: given('title') }),
    ...(given('text') !== '' && { text: form['text']?.replaceAll('\r\n', '\n').trim() }),
    ...(given('url') !== '' && { url: given('url') }),
    ...(tags.length > 0 && { tags }),
    ...(media.length > 0 && { media }),
    ...(buttons.length > 0 && { buttons }),
  };
}

function linesOf(text: string): string[] {
  return text
    .split(/\s*\n\s*/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Photos that the sandbox has: nothing has to be fetched from elsewhere. */
function ownPhotos(count: string, origin: string): object[] {
  const many = Math.min(mostPhotos, Math.max(0, Math.trunc(Number(count) || 0)));
  return Array.from({ length: many }, (_, index) => ({
    type: 'image',
    url: `${origin}/stage/photos/${index + 1}.png`,
  }));
}

/** The ending of a link says what it leads to. */
function medium(url: string): object {
  const type = videos.test(url)
    ? 'video'
    : moving.test(url)
      ? 'animation'
      : pictures.test(url)
        ? 'image'
        : 'file';
  return { type, url };
}

/** "Words | https://…" opens an address; words alone are told to the bot. */
function button(line: string): object {
  const [, text = line, url] = /^(.*?)\s*\|\s*(\S+)$/.exec(line) ?? [];
  return url === undefined ? { text, payload: text } : { text, url };
}
