// A second implementation of the template language, by recursive descent. Tests compare the SQL functions with it.

export type Values = Readonly<Record<string, string>>;

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly name: string }
  | {
      readonly kind: 'section';
      readonly name: string;
      readonly inverted: boolean;
      readonly inside: readonly Node[];
    };

/** Where a body breaks the rules (in characters, from 1), and words that the database's sentence must contain. */
interface Fault {
  readonly at: number;
  readonly says: string;
}

class Broken extends Error {
  readonly fault: Fault;
  constructor(index: number, says: string) {
    super(says);
    this.fault = { at: index + 1, says };
  }
}

interface Section {
  readonly name: string;
  readonly at: number;
  readonly depth: number;
}

class Reader {
  readonly #characters: readonly string[];
  #index = 0;

  constructor(body: string) {
    this.#characters = Array.from(body);
  }

  #isAt(pair: '{{' | '}}', index = this.#index): boolean {
    const [first, second] = pair;
    return this.#characters[index] === first && this.#characters[index + 1] === second;
  }

  nodes(within?: Section): Node[] {
    const found: Node[] = [];
    while (this.#index < this.#characters.length) {
      const at = this.#index;
      if (this.#isAt('}}')) throw new Broken(at, 'ends nothing');
      if (!this.#isAt('{{')) {
        found.push({ kind: 'text', text: this.#characters[at] ?? '' });
        this.#index += 1;
        continue;
      }
      const { sign, name } = this.#tag();
      if (sign === '/') {
        if (within === undefined) throw new Broken(at, 'closes no section');
        if (within.name !== name) throw new Broken(at, 'cannot close');
        return found;
      }
      if (sign === '') {
        found.push({ kind: 'placeholder', name });
        continue;
      }
      const depth = (within?.depth ?? 0) + 1;
      if (depth > 10) throw new Broken(at, 'would be the 11th section');
      const inside = this.nodes({ name, at, depth });
      found.push({ kind: 'section', name, inverted: sign === '^', inside });
    }
    if (within !== undefined) throw new Broken(within.at, 'is never closed');
    return found;
  }

  #tag(): { sign: string; name: string } {
    const at = this.#index;
    let index = at + 2;
    let inner = '';
    while (!this.#isAt('}}', index)) {
      const character = this.#characters[index];
      if (character === undefined || character === '{' || character === '}') {
        throw new Broken(at, 'is not followed by a name');
      }
      inner += character;
      index += 1;
    }
    this.#index = index + 2;
    const blanks = (text: string): string => text.replaceAll(/^[ \t]+|[ \t]+$/gu, '');
    inner = blanks(inner);
    const sign = ['#', '^', '/'].find((each) => inner.startsWith(each)) ?? '';
    const name = blanks(inner.slice(sign.length));
    if (!/^[a-z][a-z0-9_]*$/u.test(name)) throw new Broken(at, 'names nothing');
    return { sign, name };
  }
}

export function faultOf(body: string): Fault | null {
  try {
    new Reader(body).nodes();
    return null;
  } catch (error) {
    if (error instanceof Broken) return error.fault;
    throw error;
  }
}

type Piece =
  | { readonly kind: 'tag' | 'line break' }
  | { readonly kind: 'body' | 'value'; readonly text: string };

/** What is shown, with a mark for each tag: a line without content is left out only if it had a tag. */
function pieces(nodes: readonly Node[], values: Values): Piece[] {
  return nodes.flatMap((node): Piece[] => {
    if (node.kind === 'text') {
      return [node.text === '\n' ? { kind: 'line break' } : { kind: 'body', text: node.text }];
    }
    const value = values[node.name] ?? '';
    if (node.kind === 'placeholder') {
      return [{ kind: 'tag' }, ...(value === '' ? [] : [{ kind: 'value', text: value } as const])];
    }
    const visible = node.inverted === (value === '');
    return [{ kind: 'tag' }, ...(visible ? pieces(node.inside, values) : []), { kind: 'tag' }];
  });
}

/** Renders a body without faults. */
export function render(body: string, values: Values): string {
  const lines: Piece[][] = [[]];
  for (const piece of pieces(new Reader(body.replaceAll('\r\n', '\n')).nodes(), values)) {
    if (piece.kind === 'line break') lines.push([]);
    else lines.at(-1)?.push(piece);
  }
  return lines
    .filter((line) => !line.some(({ kind }) => kind === 'tag') || line.some(isSomething))
    .map((line) => line.map((piece) => ('text' in piece ? piece.text : '')).join(''))
    .filter((line, n, all) => line !== '' || all[n - 1] !== '')
    .join('\n')
    .replaceAll(/^[ \t\n]+|[ \t\n]+$/gu, '');
}

function isSomething(piece: Piece): boolean {
  return piece.kind === 'value' || (piece.kind === 'body' && !/^[ \t]$/u.test(piece.text));
}
