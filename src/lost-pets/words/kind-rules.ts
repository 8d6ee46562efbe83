// What a phrase says about the type of a post, and how strongly. patterns.ts describes the language of the phrases.

export type Kind =
  | 'lost'
  | 'found'
  | 'sighting'
  | 'adoption'
  | 'fundraising'
  | 'news'
  | 'link'
  | 'empty'
  | 'unknown';

export type SaidKind = Exclude<Kind, 'link' | 'empty' | 'unknown'>;

export interface KindRule {
  readonly kind: SaidKind;
  readonly weight: number;
  readonly phrase: string;
  /** The other rules do not count within what this one finds: it says what the words mean together. */
  readonly covers?: true;
}

/** In the order in which they are tried: what covers others stands first. */
export const kindRules: readonly KindRule[] = [
  // Words that mean something else together.
  { kind: 'lost', weight: 3.5, phrase: 'not ~2 toFind', covers: true },
  { kind: 'found', weight: 4, phrase: 'stray ~1 seeks|seek ~2 owner', covers: true },
  { kind: 'adoption', weight: 4, phrase: 'seek ~2 owner for', covers: true },
  { kind: 'sighting', weight: 1, phrase: 'saw|roams ~14 fled', covers: true },
  { kind: 'sighting', weight: 2, phrase: 'who not willSee', covers: true },
  { kind: 'adoption', weight: 1.5, phrase: 'litter ~1 roams', covers: true },
  { kind: 'adoption', weight: 1.5, phrase: 'roams ~3 litter', covers: true },
  { kind: 'adoption', weight: 3, phrase: 'who ~1 takeHer', covers: true },
  { kind: 'adoption', weight: 3, phrase: 'who ~3 beast ~3 home question', covers: true },
  { kind: 'news', weight: 4, phrase: 'foundBySomebody|turnedUp ~2 home', covers: true },
  { kind: 'fundraising', weight: 3.5, phrase: 'help ~3 buy|pay|collect', covers: true },
  { kind: 'fundraising', weight: 2.5, phrase: 'who howMuch', covers: true },
  { kind: 'sighting', weight: 1.5, phrase: 'without owner', covers: true },
  { kind: 'adoption', weight: 2.5, phrase: 'need ~2 homeward', covers: true },
  { kind: 'found', weight: 1.5, phrase: 'willSee ~2 question', covers: true },
  {
    kind: 'found',
    weight: 3,
    phrase: 'not gone|fled|lostBySomebody comma? sign? ~2 found|foundBySomebody',
    covers: true,
  },
  { kind: 'lost', weight: 2.5, phrase: 'not atHome', covers: true },
  { kind: 'adoption', weight: 2.5, phrase: 'who ~4 home question', covers: true },
  { kind: 'found', weight: 2, phrase: 'owner ~3 abandoned|forgot', covers: true },
  { kind: 'news', weight: 3.5, phrase: 'start ~4 thanks', covers: true },
  { kind: 'lost', weight: 4, phrase: 'not ~1 turnedUp|found|foundBySomebody', covers: true },
  { kind: 'lost', weight: 3.5, phrase: 'not ~1 returned|came', covers: true },
  { kind: 'found', weight: 4, phrase: 'not ~1 lostBySomebody ~2 who|whose', covers: true },
  { kind: 'found', weight: 4, phrase: 'who ~2 lostBySomebody', covers: true },
  { kind: 'found', weight: 3.5, phrase: 'who|whose gone|fled', covers: true },
  { kind: 'sighting', weight: 1, phrase: 'gone|fled question', covers: true },
  { kind: 'news', weight: 2, phrase: 'if gone|fled', covers: true },
  { kind: 'found', weight: 1.2, phrase: 'maybe ~3 gone|fled|lostBySomebody', covers: true },
  { kind: 'sighting', weight: 0.5, phrase: 'maybe ~1 taken|abandoned', covers: true },
  { kind: 'news', weight: 2, phrase: 'collect at number', covers: true },
  { kind: 'lost', weight: 3.5, phrase: 'somebody taken|stolen ~2 our', covers: true },
  { kind: 'lost', weight: 3, phrase: 'forgot ~1 beast', covers: true },
  { kind: 'adoption', weight: 5, phrase: 'search ~2 home|atHome', covers: true },
  { kind: 'adoption', weight: 3, phrase: 'ready ~3 home|homeward', covers: true },
  { kind: 'news', weight: 3, phrase: 'need ~2 volunteer', covers: true },
  { kind: 'news', weight: 3.5, phrase: 'placed ~3 home', covers: true },
  { kind: 'found', weight: 3, phrase: 'owner ~2 takeHer', covers: true },
  { kind: 'sighting', weight: 0.6, phrase: 'maybe ~2 stray', covers: true },
  { kind: 'found', weight: 4.5, phrase: 'seek|toFind ~2 old ~3 owner', covers: true },
  {
    kind: 'adoption',
    weight: 4,
    phrase: 'seek|seeks|need|toFind ~2 new|good ~1 owner|home',
    covers: true,
  },
  { kind: 'news', weight: 5, phrase: 'owner ~2 found|turnedUp|foundBySomebody', covers: true },
  { kind: 'news', weight: 4.5, phrase: 'found|turnedUp|foundBySomebody ~1 owner', covers: true },
  { kind: 'news', weight: 5, phrase: 'search ~2 closed', covers: true },
  { kind: 'news', weight: 5, phrase: 'closed|taken ~2 search|collect', covers: true },
  { kind: 'news', weight: 3, phrase: 'collect ~2 closed', covers: true },
  { kind: 'found', weight: 4, phrase: 'seek ~4 owner', covers: true },
  { kind: 'found', weight: 3.5, phrase: 'help ~4 toFind ~3 owner', covers: true },
  { kind: 'adoption', weight: 4, phrase: 'help ~4 toFind ~2 home', covers: true },
  { kind: 'found', weight: 3, phrase: 'toFind ~2 owner', covers: true },
  { kind: 'adoption', weight: 5, phrase: 'seeks ~3 home', covers: true },
  { kind: 'adoption', weight: 5, phrase: 'seek ~5 home|fosterHome', covers: true },
  { kind: 'adoption', weight: 3, phrase: 'seeks ~3 owner', covers: true },
  { kind: 'adoption', weight: 4, phrase: 'need ~3 home|fosterHome', covers: true },
  { kind: 'adoption', weight: 2.5, phrase: 'need ~3 owner', covers: true },
  { kind: 'adoption', weight: 3.5, phrase: 'good ~1 hands', covers: true },
  { kind: 'lost', weight: 2, phrase: 'finder ~1 give', covers: true },
  { kind: 'found', weight: 1.5, phrase: 'not give', covers: true },
  { kind: 'lost', weight: 1.5, phrase: 'give ~2 number ~2 toFind|money', covers: true },
  { kind: 'sighting', weight: 3, phrase: 'who ~1 seeks', covers: true },
  { kind: 'sighting', weight: 2.5, phrase: 'who|maybe ~2 seek|seeks end', covers: true },
  { kind: 'lost', weight: 3.5, phrase: 'help ~4 toFind', covers: true },
  { kind: 'lost', weight: 2.5, phrase: 'who|if ~3 saw|willSee|foundBySomebody', covers: true },
  { kind: 'lost', weight: 2, phrase: 'who|if ~3 taken', covers: true },
  { kind: 'lost', weight: 2, phrase: 'finder', covers: true },
  { kind: 'found', weight: 3.5, phrase: 'owner ~3 respond', covers: true },
  { kind: 'found', weight: 3, phrase: 'respond ~3 owner', covers: true },
  { kind: 'found', weight: 2.5, phrase: 'owner ~2 where', covers: true },
  { kind: 'found', weight: 2.5, phrase: 'where ~3 owner', covers: true },
  { kind: 'news', weight: 4, phrase: 'start turnedUp end', covers: true },
  { kind: 'news', weight: 3.5, phrase: 'turnedUp ~3 thanks', covers: true },
  { kind: 'fundraising', weight: 3.5, phrase: 'collect ~2 on', covers: true },
  { kind: 'sighting', weight: 2, phrase: 'not ~2 can ~1 catch', covers: true },
  { kind: 'sighting', weight: 1.5, phrase: 'catch ~2 not can', covers: true },
  { kind: 'sighting', weight: 1.5, phrase: 'not ~2 can|catch', covers: true },
  { kind: 'found', weight: 2.6, phrase: 'can ~1 catch', covers: true },
  { kind: 'news', weight: 3.5, phrase: 'placed|returned ~2 homeward', covers: true },

  // Words that mean what they say.
  { kind: 'lost', weight: 3.2, phrase: 'gone' },
  { kind: 'lost', weight: 2.6, phrase: 'fled' },
  { kind: 'lost', weight: 1.4, phrase: 'left' },
  { kind: 'lost', weight: 0.8, phrase: 'information' },
  { kind: 'lost', weight: 3, phrase: 'stolen' },
  { kind: 'lost', weight: 2.5, phrase: 'reward' },
  { kind: 'lost', weight: 2.6, phrase: 'lostBySomebody' },
  { kind: 'lost', weight: 2.5, phrase: 'seek ~3 beast|pet' },
  { kind: 'lost', weight: 1.2, phrase: 'seek' },
  { kind: 'lost', weight: 1.5, phrase: 'toFind' },
  { kind: 'lost', weight: 1, phrase: 'search' },
  { kind: 'lost', weight: 0.8, phrase: 'stray' },
  { kind: 'found', weight: 3.4, phrase: 'found' },
  { kind: 'found', weight: 3, phrase: 'foundBySomebody ~3 beast|pet' },
  { kind: 'found', weight: 1.8, phrase: 'foundBySomebody' },
  { kind: 'found', weight: 2.2, phrase: 'taken' },
  { kind: 'found', weight: 1.8, phrase: 'came' },
  { kind: 'found', weight: 1, phrase: 'kept' },
  { kind: 'found', weight: 2.4, phrase: 'whose' },
  { kind: 'found', weight: 1.5, phrase: 'respond' },
  { kind: 'found', weight: 0.8, phrase: 'homely' },
  { kind: 'found', weight: 0.9, phrase: 'by me' },
  { kind: 'found', weight: 2, phrase: 'turnedUp ~2 beast' },
  { kind: 'sighting', weight: 2.4, phrase: 'saw' },
  { kind: 'sighting', weight: 1.8, phrase: 'roams' },
  { kind: 'sighting', weight: 1.5, phrase: 'seekYou' },
  { kind: 'adoption', weight: 3, phrase: 'give' },
  { kind: 'adoption', weight: 2, phrase: 'takeHer' },
  { kind: 'adoption', weight: 1.2, phrase: 'treaty' },
  { kind: 'adoption', weight: 1, phrase: 'at ~1 home' },
  { kind: 'adoption', weight: 0.6, phrase: 'fosterHome' },
  { kind: 'adoption', weight: 1, phrase: 'adult' },
  { kind: 'adoption', weight: 0.8, phrase: 'gift' },
  { kind: 'adoption', weight: 1.2, phrase: 'abandoned' },
  { kind: 'lost', weight: 1.2, phrase: 'our ~1 beast' },
  { kind: 'found', weight: 1.5, phrase: 'your ~1 question' },
  { kind: 'fundraising', weight: 2.5, phrase: 'collect' },
  { kind: 'fundraising', weight: 2, phrase: 'pay' },
  { kind: 'fundraising', weight: 2.4, phrase: 'bank ~4 number sign? number' },
  { kind: 'fundraising', weight: 1, phrase: 'bank' },
  { kind: 'fundraising', weight: 2, phrase: 'treatment number' },
  { kind: 'fundraising', weight: 2.2, phrase: 'debt' },
  { kind: 'fundraising', weight: 0.7, phrase: 'money' },
  { kind: 'fundraising', weight: 0.5, phrase: 'treatment' },
  { kind: 'news', weight: 2.6, phrase: 'turnedUp' },
  { kind: 'news', weight: 2.2, phrase: 'thanks' },
  { kind: 'news', weight: 2.2, phrase: 'closed' },
  { kind: 'news', weight: 1.2, phrase: 'placed' },
  { kind: 'news', weight: 2.2, phrase: 'atHome end' },
  { kind: 'news', weight: 2.2, phrase: 'returned' },
  { kind: 'news', weight: 1, phrase: 'rainbow' },
  { kind: 'news', weight: 2.6, phrase: 'report' },
  { kind: 'news', weight: 2.6, phrase: 'announce' },
  { kind: 'news', weight: 1.8, phrase: 'advice' },
  { kind: 'news', weight: 0.9, phrase: 'law' },
];

/** What hashtags say, by a part of their letters. */
export const tagRules: readonly (readonly [SaidKind, RegExp])[] = [
  ['lost', /пропал|потерял|потеряна|ищемсобак|ищемкот|ищемкошк|сбежал|помогитенайти/],
  ['found', /найден|нашли|ищемхозя|ищухозя|чьясобак|чейкот|нашлась/],
  [
    'adoption',
    /ищетдом|ищутдом|ищудом|добрыеруки|вдар|отдам|пристро|ищемдом|возьмииз|ищетсемью|хочудомой/,
  ],
  ['fundraising', /сбор|помощьприют|донат|поможемвместе/],
  ['sighting', /видели|замечен/],
  ['news', /новост|отчет|нашлидом|счастлив|пристроен|выставк/],
];
