export interface Post {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly url: string;
}

const shortText = 'Grey collar, answers to Bim. Call if seen.';

/** The payload of every contender: a short post of about 150 bytes of JSON, unless another text is given. */
export function post(id: number, text: string = shortText): Post {
  return {
    id,
    title: `Lost dog near the old mill, case ${id}`,
    text,
    url: `https://example.org/posts/${id}`,
  };
}

/** Yields posts `0 … count - 1` in slices that fit one bulk insert. */
export function* postsInSlices(count: number, sliceSize: number, text?: string): Generator<Post[]> {
  for (let start = 0; start < count; start += sliceSize) {
    const length = Math.min(sliceSize, count - start);
    yield Array.from({ length }, (_, offset) => post(start + offset, text));
  }
}

const words =
  'the grey dog was seen near old mill by a neighbour who walks there every morning and says it limps on its left'.split(
    ' ',
  );

/** A text of words in mixed order, always the same. It compresses like prose, not like a repetition. */
export function proseOf(length: number): string {
  let text = 'Seen again:';
  for (let seed = 1; text.length < length; ) {
    seed = (seed * 48_271) % 2_147_483_647;
    text += ` ${words[seed % words.length] ?? ''}${seed % 1000}`;
  }
  return text.slice(0, length);
}
