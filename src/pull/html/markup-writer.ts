// Writes a text in the HTML of our posts: balanced tags, no empty ones, none within code, line breaks as characters. Nothing
// is written before a word needs it. So a tag around blanks leaves nothing behind, and blanks at the ends of tags, lines
// and the text go away.

/** The tags that a post takes. */
export type Tag = 'a' | 'b' | 'blockquote' | 'code' | 'i' | 'pre' | 's' | 'u';

/** One element that is open in the source. */
export interface Mark {
  readonly tag: Tag;
  readonly href?: string | undefined;
}

export interface Written {
  readonly text: string;
  /** Whether the text has tags. A text without any is handed in as it is, and every channel takes it. */
  readonly isMarked: boolean;
}

/** Markup that is nested deeper is left out: no reader would notice it. */
const deepest = 16;

export class MarkupWriter {
  readonly #maxLength: number;
  readonly #pieces: Piece[] = [];
  /** Marks that the source has open. */
  #wanted: readonly Mark[] = [];
  /** Of these, what has been written. */
  #open: readonly Mark[] = [];
  #length = 0;
  #isMarked = false;
  #isFull = false;
  #breaks = 0;
  #space: '' | ' ' | ' | ' = '';
  #prefix = '';
  #hasWords = false;

  /** The text will have no more UTF-16 units than this, with its markup. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Sets what is open from here on. */
  mark(marks: readonly Mark[]): void {
    this.#wanted = marks.slice(0, deepest);
  }

  /** A line break, as <br> makes one. Two or more in a row make an empty line. */
  breakLine(): void {
    if (this.#hasWords) this.#breaks += 1;
    this.#space = '';
  }

  /** The end or the beginning of a block: the next word is at least so many lines further down. */
  breakBlock(lines: 1 | 2): void {
    if (this.#prefix !== '') return; // the first block of a list's item stays beside its bullet
    if (this.#hasWords) this.#breaks = Math.max(this.#breaks, lines);
    this.#space = '';
  }

  /** Stands before the next word, on a line of its own with it. */
  startItem(prefix: string): void {
    this.#prefix = '';
    this.breakBlock(1);
    this.#prefix = prefix;
  }

  endItem(): void {
    this.#prefix = '';
    this.breakBlock(1);
  }

  /** The next word is in another cell of the same row. */
  nextCell(): void {
    if (this.#hasWords && this.#breaks === 0) this.#space = ' | ';
  }

  /** A text whose white space is shown as one blank. */
  words(text: string): void {
    for (const [piece] of text.matchAll(blanksOrWord)) {
      if (this.#isFull) return;
      if (!isBlank.test(piece)) this.#word(piece);
      else if (this.#space === '' && this.#breaks === 0 && this.#hasWords) this.#space = ' ';
    }
  }

  /** A text whose white space is shown as it is. */
  verbatim(text: string): void {
    const lines = text.replaceAll(/\r\n?/g, '\n').split('\n');
    for (const [index, line] of lines.entries()) {
      if (this.#isFull) return;
      if (index > 0) this.#verbatimBreak();
      if (line !== '') this.#word(line);
    }
  }

  end(): Written {
    this.#closeTo(0);
    return { text: this.#pieces.map(({ text }) => text).join(''), isMarked: this.#isMarked };
  }

  // Empty lines in code are kept; those at its ends are not.
  #verbatimBreak(): void {
    if (this.#hasWords) this.#breaks += 1;
  }

  #word(word: string): void {
    const kept = commonStart(this.#open, this.#wanted);
    const closed = this.#open.slice(kept);
    const opened = this.#wanted.slice(kept);
    const isCode = this.#open.slice(0, kept).some(isVerbatim);
    const before = this.#gap(isCode) + this.#prefix;
    const starts = opened.map(startOf);
    const escaped = escape(word);
    // What has to fit after the word in any case: the ends of the open tags, and the sign that something is missing.
    const ends = this.#wanted.reduce((sum, mark) => sum + endOf(mark).length, 0);
    const added =
      lengthOf(closed.map(endOf)) + before.length + lengthOf(starts) + escaped.length + ends + 1;
    if (this.#length + added > this.#maxLength) return this.#cut(word);
    this.#closeTo(kept);
    this.#put(escape(before));
    for (const start of starts) this.#put(start);
    this.#put(escaped);
    this.#open = this.#wanted;
    this.#isMarked ||= starts.length > 0;
    this.#breaks = 0;
    this.#space = '';
    this.#prefix = '';
    this.#hasWords = true;
  }

  /** What stands between the last word and the next. */
  #gap(isCode: boolean): string {
    if (this.#breaks === 0) return this.#space;
    return '\n'.repeat(isCode ? this.#breaks : Math.min(this.#breaks, 2));
  }

  /** Ends the text with a sign that it goes on. A first word that is too long is cut itself. */
  #cut(word: string): void {
    this.#isFull = true;
    this.#closeTo(0);
    if (!this.#hasWords) {
      this.#put(
        escape(word.slice(0, Math.max(0, Math.floor((this.#maxLength - 1) / 6))).toWellFormed()),
      );
    }
    this.#put('…');
  }

  #closeTo(depth: number): void {
    for (const mark of this.#open.slice(depth).toReversed()) this.#put(endOf(mark));
    this.#open = this.#open.slice(0, depth);
  }

  #put(text: string): void {
    if (text === '') return;
    this.#pieces.push({ text });
    this.#length += text.length;
  }
}

interface Piece {
  readonly text: string;
}

// As browsers do: a no-break space is part of a word.
const blanksOrWord = /[ \t\n\f\r]+|[^ \t\n\f\r]+/g;
const isBlank = /^[ \t\n\f\r]/;

function isVerbatim({ tag }: Mark): boolean {
  return tag === 'pre' || tag === 'code';
}

function commonStart(some: readonly Mark[], others: readonly Mark[]): number {
  const end = some.findIndex((mark, index) => mark !== others[index]);
  return end === -1 ? some.length : end;
}

function startOf({ tag, href }: Mark): string {
  return href === undefined ? `<${tag}>` : `<${tag} href="${escape(href)}">`;
}

function endOf({ tag }: Mark): string {
  return `</${tag}>`;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
