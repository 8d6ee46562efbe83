// Where in a post something stands, and what was read there.

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What was read, and the words that led to it. */
export interface Found<Value> extends Span {
  readonly value: Value;
}
