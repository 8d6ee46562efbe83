// Formatted text: plain text and entities by UTF-16 offset, brought into the form in which Telegram
// keeps them: sorted, properly nested, nothing inside code.

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
}

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

const styles = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'] as const;
const quotes: readonly EntityType[] = ['blockquote', 'expandable_blockquote'];
const verbatim: readonly EntityType[] = ['pre', 'code'];

/** Outer before inner when two entities cover the same characters. */
const order: readonly EntityType[] = [
  ...quotes,
  ...verbatim,
  'text_link',
  'text_mention',
  'date_time',
  'mention',
  'hashtag',
  'cashtag',
  'bot_command',
  'url',
  'email',
  ...styles,
  'custom_emoji',
];

/** The server drops what a caller formats beyond this. */
const formattedMost = 100;

const endOf = (entity: Entity) => entity.offset + entity.length;

export function sortEntities(entities: readonly Entity[]): Entity[] {
  return entities.toSorted(
    (a, b) =>
      a.offset - b.offset || b.length - a.length || order.indexOf(a.type) - order.indexOf(b.type),
  );
}

/** Links and quotes keep apart, styles are joined and then cut where anything else begins or ends. */
export function settleEntities(
  entities: readonly Entity[],
  found: readonly Entity[] = [],
): Entity[] {
  const filled = sortEntities(entities.filter((entity) => entity.length > 0));
  const isStyle = (entity: Entity) => styles.some((style) => style === entity.type);
  const isQuote = (entity: Entity) => quotes.includes(entity.type);
  const quoted = apart(filled.filter(isQuote));
  const given = apart(filled.filter((entity) => !isStyle(entity) && !isQuote(entity)));
  const added = found.filter((entity) => given.every((other) => !overlap(entity, other)));
  const marks = [...given, ...added].filter((entity) =>
    quoted.every((quote) => nests(entity, quote)),
  );
  const blocks = [...quoted, ...marks];
  const pieces = cutStyles(filled.filter(isStyle), blocks);
  const formatted = [...blocks.filter((block) => !added.includes(block)), ...pieces];
  const kept = formatted.slice(0, formattedMost);
  return sortEntities([...kept, ...blocks.filter((block) => added.includes(block))]);
}

function overlap(a: Entity, b: Entity): boolean {
  return a.offset < endOf(b) && b.offset < endOf(a);
}

/** Inside the quote or outside it, not across its edge. */
function nests(entity: Entity, quote: Entity): boolean {
  const inside = entity.offset >= quote.offset && endOf(entity) <= endOf(quote);
  return inside || !overlap(entity, quote);
}

/** Of sorted entities that touch the same characters only the first stays. */
function apart(sorted: readonly Entity[]): Entity[] {
  const kept: Entity[] = [];
  for (const entity of sorted) {
    const last = kept.at(-1);
    if (last === undefined || entity.offset >= endOf(last)) kept.push(entity);
  }
  return kept;
}

function cutStyles(entities: readonly Entity[], blocks: readonly Entity[]): Entity[] {
  const runs = styles.flatMap((style) => joined(entities.filter(({ type }) => type === style)));
  const cuts = new Set([
    ...runs.map((run) => run.offset),
    ...blocks.flatMap((block) => [block.offset, endOf(block)]),
  ]);
  const sortedCuts = [...cuts].toSorted((a, b) => a - b);
  const codes = blocks.filter(({ type }) => verbatim.includes(type));
  return runs
    .flatMap((run) => {
      const inner = sortedCuts.filter((cut) => cut > run.offset && cut < endOf(run));
      const edges = [run.offset, ...inner, endOf(run)];
      return edges.slice(1).map((end, index) => {
        const offset = edges[index] ?? 0;
        return { ...run, offset, length: end - offset };
      });
    })
    .filter((piece) => codes.every((code) => !overlap(piece, code)));
}

/** Sorted entities of one style, those that touch joined into one. */
function joined(sorted: readonly Entity[]): Entity[] {
  const runs: Entity[] = [];
  for (const entity of sorted) {
    const last = runs.at(-1);
    if (last === undefined || entity.offset > endOf(last)) runs.push(entity);
    else {
      const end = Math.max(endOf(last), endOf(entity));
      runs.splice(-1, 1, { ...last, length: end - last.offset });
    }
  }
  return runs;
}
