// Masks what must not be kept or shown: tokens, auth headers, e-mail addresses and phone numbers.
//
// The rules are those of outrider.mask_text and outrider.mask_json, so that a log hides what the record hides; a test
// compares the two. Where PostgreSQL looks for the longest match, these patterns take a whole run of characters at once:
// no text, however long and hostile, takes more than a few passes.

const word = String.raw`\p{L}\p{N}_`;
/** Digits of full width are not of a word, as in PostgreSQL. */
const notBehindWord = `(?<!(?![０-９])[${word}])`;
const ofAddress = String.raw`[A-Za-z0-9\u0400-\u04FF._%+-]`;
const ofDomain = String.raw`[A-Za-z0-9\u0400-\u04FF-]`;
const ofCredential = '[A-Za-z0-9._~+/=-]';
const gaps = String.raw`\s\u00A0\u00AD\u00B7\u2000-\u2015\u2022\u202A-\u202F\u2043\u2060-\u2069\u2212\uFEFF\uFE58\uFE63\uFF0D().\-`;

/** The login in an address. */
const addressLogin = /(:\/\/)[^\s/@"'<>]+@/g;

/** A bot token, also inside a URL. */
const botToken = /\d{5,}(:[A-Za-z0-9_-]{20,})?/g;

/** Bearer and basic credentials; an ordinary word after "basic" or "token" is not one. */
const credential = new RegExp(
  String.raw`${notBehindWord}(bearer|basic|token)\s+(?=${ofCredential}*\d|${ofCredential}{20})${ofCredential}{8,}`,
  'giu',
);

/** key=value and key: value, as in queries, headers and JSON that was quoted into a text. */
const namedSecret =
  /((?:access[_-]?token|refresh[_-]?token|(?:api|access|secret|private)[_-]?key|client[_-]?secret|authorization|x-[a-z-]{0,200}token|password|passwd|passphrase|pwd|secret|token|signature|sig)\\?["']?\s*[=:]\s*\\?["']?)(?!\[token\])(?:(?:bearer|basic)\s+)?[^\s"'&,;}\\]{4,}/giu;

const vkToken = new RegExp(String.raw`${notBehindWord}vk\d\.[A-Za-z0-9._-]{20,}`, 'gu');

const email = new RegExp(
  String.raw`${ofAddress}+(@${ofDomain}+(?:\.${ofDomain}+)*\.(?:[Xx][Nn]--[A-Za-z0-9-]+|[A-Za-z\u0400-\u04FF]{2,}))?`,
  'g',
);

/** With spaces and dashes of every width; also after \n in JSON that was quoted into a text. */
const phone = new RegExp(
  String.raw`([^${word}\-]|\\[nrt])(?:\+\d(?:[${gaps}/_]*\d){7,14}(?!\d)|[78](?:[${gaps}]*\d){10}(?![A-Za-z0-9])|[78][_/]\d{3}[_/]\d{3}[_/]\d{2}[_/]\d{2}(?![A-Za-z0-9]))`,
  'gu',
);

/** Right behind a word, in the form of a Russian number; behind a letter from a to f it is the tail of a hash. */
const phoneBehindWord = /([G-Zg-z_\u0400-\u04FF]|[Ii][Dd])[78][3489]\d{9}(?![A-Za-z0-9])/g;
/** Found at once, so that other texts are not gone through letter by letter. */
const longNumber = /[78][3489]\d{9}/;

/** Cyrillic letters and characters of full width, where an address has percent signs for them. */
const escapedLetters = /(?:%D[01]%[89AB][0-9A-F]|%EF%BC%[89AB][0-9A-F])+/gi;
const fullWidth = /[０-９＋－．：＝＠（）]/g;

/** The escapes that hide a contact or a secret: of addresses, of HTML and of MarkdownV2. As in outrider.unescape_text. */
const escapes: readonly (readonly [escape: RegExp, meaning: string])[] = [
  [/%20|&#32;|&#x20;|&thinsp;|&ensp;|&emsp;/gi, ' '],
  [/%C2%A0|&nbsp;|&#160;|&#xA0;|&#8239;|&#x202F;|&#8201;|&#x2009;/gi, '\u00a0'],
  [/%28|&lpar;|&#40;|&#x28;/gi, '('],
  [/%29|&rpar;|&#41;|&#x29;/gi, ')'],
  [/%2B|&plus;|&#43;|&#x2B;/gi, '+'],
  [
    /%2D|%E2%88%92|%E2%80%9[0-5]|&minus;|&ndash;|&mdash;|&hyphen;|&dash;|&#8722;|&#x2212;|&#820[89];|&#821[0-3];|&#x201[0-5];|&#45;|&#x2D;/gi,
    '-',
  ],
  [/%2E|&period;|&#46;|&#x2E;/gi, '.'],
  [/%3A|&colon;|&#58;|&#x3A;/gi, ':'],
  [/%3D|&equals;|&#61;|&#x3D;/gi, '='],
  [/%40|&commat;|&#64;|&#x40;/gi, '@'],
  [/\\{1,4}([_*[\]()~`>#+=|{}.!-])/g, '$1'],
];

const cookie = /(cookie\\?["']?\s*:\s*\\?["']?)[^\s=;,"'\\]{1,100}=[^\r\n"'\\]+/gi;
const mayHide = /[%&\\\uFF01-\uFF5E]|[Cc][Oo][Oo][Kk][Ii][Ee]/;

/**
 * A text with escapes is also looked at without them. It stays as it is when they hide nothing, and loses them when they
 * do. What is masked may bring something else to light, so it is looked at again, a few times at most.
 */
export function maskText(given: string): string {
  if (!mayHide.test(given)) return maskForms(given);
  let text = given;
  for (let pass = 1; pass <= 4; pass += 1) {
    const masked = maskHidden(text);
    if (masked === text) break;
    text = masked;
  }
  return text;
}

function maskHidden(given: string): string {
  const text = given.replace(cookie, '$1[token]');
  const masked = maskForms(text);
  const plain = maskForms(unescaped(text).replace(cookie, '$1[token]'));
  return plain === unescaped(masked) ? masked : plain;
}

function unescaped(text: string): string {
  const inLetters = text
    .replace(escapedLetters, (run) => decodeURIComponent(run))
    .replace(fullWidth, (wide) => wide.normalize('NFKC'));
  return escapes.reduce((rest, [escape, meaning]) => rest.replace(escape, meaning), inLetters);
}

/**
 * Chat ids and provider ids stay readable: a bare run of digits is a phone number only with a plus sign, or as eleven
 * digits that begin with 7 or 8.
 */
function maskForms(text: string): string {
  const withoutTokens = text
    .replace(addressLogin, '$1[token]@')
    .replace(botToken, (run, rest?: string) => (rest === undefined ? run : '[token]'))
    .replace(credential, '$1 [token]')
    .replace(namedSecret, '$1[token]')
    .replace(vkToken, '[token]');
  const withoutEmails = withoutTokens.includes('@')
    ? withoutTokens.replace(email, (run, domain?: string) =>
        domain === undefined ? run : '[email]',
      )
    : withoutTokens;
  // The blank in front gives every phone number a character before it.
  const withoutPhones = ` ${withoutEmails}`.replace(phone, '$1[phone]').slice(1);
  return longNumber.test(withoutPhones)
    ? withoutPhones.replace(phoneBehindWord, '$1[phone]')
    : withoutPhones;
}

const secretKey =
  /^(.*[_-])?(token|secret|password|passwd|passphrase|authorization|cookie|(api|access|secret|private)[_-]?key|signature)$/i;
const phoneKey = /^(.*[_-])?(phone|phones|tel|msisdn)([_-]numbers?)?$/i;
const maxDepth = 50;

/**
 * Texts and keys as maskText does, the whole value of a key such as `token` or `phone`, and whole numbers that look like phone
 * numbers. Anything deeper than 50 levels becomes a masked text.
 */
export function maskJson(value: unknown, depth = 0): unknown {
  if (depth === maxDepth) return maskText(JSON.stringify(value) ?? '');
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'number') return maskedNumber(value);
  if (Array.isArray(value)) return value.map((each) => maskJson(each, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]): [string, unknown] => [
    maskText(key),
    maskedField(key, each, depth),
  ]);
  return Object.fromEntries(entries);
}

function maskedNumber(value: number): number | string {
  const digits = String(value);
  if (!/^\d+$/.test(digits)) return value;
  const masked = maskText(digits);
  return masked === digits ? value : masked;
}

function maskedField(key: string, value: unknown, depth: number): unknown {
  const name = key.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2');
  const isThere = value !== null && value !== undefined;
  if (isThere && secretKey.test(name)) return '[token]';
  if (isThere && phoneKey.test(name)) return '[phone]';
  return maskJson(value, depth + 1);
}
