// Formatted text: plain text and entities by UTF-16 offset. Brings them into the form in which Telegram keeps them:
// sorted, properly nested, nothing inside code.

export type EntityType =
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strikethrough'
  | 'spoiler'
  | 'code'
  | 'pre'
  | 'text_link'
  | 'text_mention'
  | 'custom_emoji'
  | 'blockquote'
  | 'expandable_blockquote'
  | 'date_time'
  | 'mention'
  | 'hashtag'
  | 'cashtag'
  | 'bot_command'
  | 'url'
  | 'email';

export interface Entity {
  readonly type: EntityType;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly user?: { readonly id: number; readonly is_bot: boolean; readonly first_name: string };
  readonly custom_emoji_id?: string;
  readonly unix_time?: number;
  readonly date_time_format?: string;
}

export type Range = Pick<Entity, 'offset' | 'length'>;

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

const styles = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'] as const;
const quotes: readonly EntityType[] = ['blockquote', 'expandable_blockquote'];
/** These contain no style. */
const verbatim: readonly EntityType[] = ['pre', 'code', 'date_time'];

/** When entities cover the same characters, the one of the earlier row is the outer one. */
const ranks: readonly (readonly EntityType[])[] = [
  quotes,
  ['pre'],
  ['code'],
  ['date_time'],
  ['text_link', 'text_mention'],
  ['mention', 'hashtag', 'cashtag', 'bot_command', 'url', 'email'],
  ...styles.map((style) => [style]),
  ['custom_emoji'],
];

/** So many entities of a caller are kept; Telegram drops the others. */
const formattedMost = 100;

export const endOf = ({ offset, length }: Range): number => offset + length;

export function sortEntities(entities: readonly Entity[]): Entity[] {
  return entities.toSorted(
    (a, b) => a.offset - b.offset || b.length - a.length || rankOf(a) - rankOf(b),
  );
}

/** A block of code with a language goes before one without. */
function rankOf({ type, language }: Entity): number {
  return ranks.findIndex((row) => row.includes(type)) - (language === undefined ? 0 : 0.5);
}

/**
 * Quotes must not overlap, nor must other entities, except styles: of two that cover the same characters, the one that
 * sorts first stays. An entity that crosses the edge of a quote is dropped. Styles are joined, then cut where any other
 * entity begins or ends.
 */
export function settleEntities(entities: readonly Entity[]): Entity[] {
  const { quoted, whole, styled } = sortedByKind(entities);
  const apartQuotes = apart(quoted);
  const kept = apart(whole).filter((each) => apartQuotes.every((quote) => nests(each, quote)));
  return arranged([...apartQuotes, ...kept], styled);
}

/** Adds the entities that Telegram has found in the text by itself, where there is no other entity. */
export function addFound(settled: readonly Entity[], found: readonly Entity[]): Entity[] {
  const { quoted, whole, styled } = sortedByKind(settled.slice(0, formattedMost));
  const added = found.filter(
    (entity) =>
      whole.every((each) => !overlap(entity, each)) &&
      quoted.every((quote) => nests(entity, quote)),
  );
  return arranged([...quoted, ...whole, ...added], styled);
}

/** Quotes, styles, and what is never cut: all others. */
function sortedByKind(entities: readonly Entity[]) {
  const all = sortEntities(entities.filter(({ length }) => length > 0));
  const isStyle = ({ type }: Entity) => styles.some((style) => style === type);
  const isQuote = ({ type }: Entity) => quotes.includes(type);
  return {
    quoted: all.filter(isQuote),
    whole: all.filter((entity) => !isStyle(entity) && !isQuote(entity)),
    styled: all.filter(isStyle),
  };
}

function arranged(blocks: readonly Entity[], styled: readonly Entity[]): Entity[] {
  return sortEntities([...blocks, ...cutStyles(styled, blocks)]);
}

function overlap(a: Entity, b: Entity): boolean {
  return a.offset < endOf(b) && b.offset < endOf(a);
}

/** Whether the entity is inside the quote or outside it, not across its edge. */
function nests(entity: Entity, quote: Entity): boolean {
  const inside = entity.offset >= quote.offset && endOf(entity) <= endOf(quote);
  return inside || !overlap(entity, quote);
}

/** Keeps only the first of sorted entities that cover the same characters. */
function apart(entities: readonly Entity[]): Entity[] {
  const kept: Entity[] = [];
  for (const entity of entities) {
    const last = kept.at(-1);
    if (last === undefined || entity.offset >= endOf(last)) kept.push(entity);
  }
  return kept;
}

function cutStyles(styled: readonly Entity[], blocks: readonly Entity[]): Entity[] {
  const runs = styles.flatMap((style) => joined(styled.filter(({ type }) => type === style)));
  const cuts = new Set([
    ...runs.map((run) => run.offset),
    ...blocks.flatMap((block) => [block.offset, endOf(block)]),
  ]);
  const sortedCuts = [...cuts].toSorted((a, b) => a - b);
  const closed = blocks.filter(({ type }) => verbatim.includes(type));
  return runs
    .flatMap((run) => {
      const inner = sortedCuts.filter((cut) => cut > run.offset && cut < endOf(run));
      const edges = [run.offset, ...inner, endOf(run)];
      return edges.slice(1).map((end, index) => {
        const offset = edges[index] ?? 0;
        return { ...run, offset, length: end - offset };
      });
    })
    .filter((piece) => closed.every((block) => !overlap(piece, block)));
}

/** Joins sorted entities of one style that touch. */
function joined(styled: readonly Entity[]): Entity[] {
  const runs: Entity[] = [];
  for (const entity of styled) {
    const last = runs.at(-1);
    if (last === undefined || entity.offset > endOf(last)) runs.push(entity);
    else {
      const end = Math.max(endOf(last), endOf(entity));
      runs.splice(-1, 1, { ...last, length: end - last.offset });
    }
  }
  return runs;
}
