// The part of VKScript that the simulator runs: `return`, calls of the API, lists, objects and plain values. Clients
// that bundle calls write this much. Variables, loops and operators are not simulated.

export type Expression =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [string, Expression])[] }
  | { readonly kind: 'call'; readonly method: string; readonly argument: Expression | undefined };

/** Undefined when the code uses more than this part, or is not VKScript at all. */
export function parseScript(code: string): Expression | undefined {
  const tokens = tokensOf(code);
  if (tokens === undefined) return undefined;
  const parser = new Parser(tokens);
  try {
    return parser.script();
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

class NotUnderstood extends Error {}

const token =
  /\s+|\/\/[^\n]*|\/\*[^]*?\*\/|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|-?\d+(?:\.\d+)?|[A-Za-z_$][\w$]*|[[\]{}(),:;.])/gy;

/** Blanks and comments are left out. */
function tokensOf(code: string): string[] | undefined {
  const tokens: string[] = [];
  let end = 0;
  for (const match of code.matchAll(token)) {
    if (match[1] !== undefined) tokens.push(match[1]);
    end = match.index + match[0].length;
  }
  return end === code.length ? tokens : undefined;
}

const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  script(): Expression {
    this.#need('return');
    const result = this.#expression();
    this.#skip(';');
    if (this.#at < this.#tokens.length) throw new NotUnderstood();
    return result;
  }

  #expression(): Expression {
    const first = this.#next();
    if (first === '[') return { kind: 'list', items: this.#series(']', () => this.#expression()) };
    if (first === '{') return { kind: 'object', fields: this.#series('}', () => this.#field()) };
    if (first === 'API') return this.#call();
    if (/^["']/.test(first)) return { kind: 'value', value: unquoted(first) };
    if (/^-?\d/.test(first)) return { kind: 'value', value: Number(first) };
    const value = Object.hasOwn(words, first) ? words[first] : undefined;
    if (value === undefined) throw new NotUnderstood();
    return { kind: 'value', value };
  }

  /** `.section.method({ … })` behind `API`. */
  #call(): Expression {
    const names: string[] = [];
    while (this.#skip('.')) names.push(this.#next());
    this.#need('(');
    if (this.#skip(')')) return { kind: 'call', method: names.join('.'), argument: undefined };
    const argument = this.#expression();
    this.#need(')');
    return { kind: 'call', method: names.join('.'), argument };
  }

  #field(): readonly [string, Expression] {
    const name = this.#next();
    this.#need(':');
    return [/^["']/.test(name) ? unquoted(name) : name, this.#expression()];
  }

  #series<T>(end: string, read: () => T): T[] {
    const items: T[] = [];
    while (!this.#skip(end)) {
      items.push(read());
      if (this.#skip(end)) break;
      this.#need(',');
    }
    return items;
  }

  #next(): string {
    const next = this.#tokens[this.#at];
    if (next === undefined) throw new NotUnderstood();
    this.#at += 1;
    return next;
  }

  #need(wanted: string): void {
    if (this.#next() !== wanted) throw new NotUnderstood();
  }

  #skip(wanted: string): boolean {
    const found = this.#tokens[this.#at] === wanted;
    if (found) this.#at += 1;
    return found;
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function unquoted(literal: string): string {
  return literal
    .slice(1, -1)
    .replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_all, code: string | undefined, other: string) =>
      code === undefined
        ? (escapes[other] ?? other)
        : String.fromCharCode(Number.parseInt(code, 16)),
    );
}
