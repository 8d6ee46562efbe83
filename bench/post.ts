export interface Post {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly url: string;
}

/** The payload of every contender: a short post, about 150 bytes of JSON. */
export function post(id: number): Post {
  return {
    id,
    title: `Lost dog near the old mill, case ${id}`,
    text: 'Grey collar, answers to Bim. Call if seen.',
    url: `https://example.org/posts/${id}`,
  };
}

/** Yields posts `0 … count - 1` in slices that fit one bulk insert. */
export function* postsInSlices(count: number, sliceSize: number): Generator<Post[]> {
  for (let start = 0; start < count; start += sliceSize) {
    const length = Math.min(sliceSize, count - start);
    yield Array.from({ length }, (_, offset) => post(start + offset));
  }
}
