// Masks what must not be kept or shown: tokens, auth headers, e-mail addresses and phone numbers.
//
// The rules are those of outrider.mask_text and outrider.mask_json, so that a log hides what the record hides; a test
// compares the two. Where PostgreSQL looks for the longest match, these patterns take a whole run of characters at once:
// no text, however long and hostile, takes more than a few passes.

const word = String.raw`\p{L}\p{N}_`;
/** Digits of full width are not of a word, as in PostgreSQL. */
const notBehindWord = `(?<!(?![０-９])[${word}])`;
const letters = String.raw`A-Za-z\u00C0-\u024F\u0400-\u04FF`;
const ofAddress = String.raw`[${letters}0-9._%+-]`;
const ofDomain = String.raw`[${letters}0-9-]`;
const ofCredential = '[A-Za-z0-9._~+/=-]';
const gaps = String.raw`\s\u00A0\u00AD\u00B7\u2000-\u2015\u2022\u202A-\u202F\u2043\u2060-\u2069\u20E3\u2212\u3000\uFE0F\uFEFF\uFE58\uFE63\uFF0D().\-`;

/** The login in an address. */
const addressLogin = /(:\/\/)[^\s/"'<>]+@/g;

/** A bot token, also inside a URL. */
const botToken = /\d{5,}(:[A-Za-z0-9_-]{20,})?/g;

/** Bearer and basic credentials; an ordinary word after "basic" or "token" is not one. */
const credential = new RegExp(
  String.raw`${notBehindWord}(bearer|basic|token)\s+(?=${ofCredential}*\d|${ofCredential}{20})${ofCredential}{8,}`,
  'giu',
);

/** What a name of a secret has behind it, in queries, headers and JSON that was quoted into a text. */
const behindName = String.raw`\\?["']?\s*[=:]\s*`;
const quoted = String.raw`\\?"[^"\\\r\n]*\\?"`;
const bare = String.raw`[^\s"'&,;}\\]{4,}`;
const unmasked = String.raw`(?!\[token\])`;

/** The whole of an authorization header, also with parameters. */
const authorization = String.raw`(authorization${behindName}\\?["']?)${unmasked}(?:[A-Za-z][A-Za-z0-9-]*\s+)?(?:[A-Za-z]+=${quoted}|${bare})(?:,\s*[A-Za-z]+=(?:${quoted}|[^\s"',;}\\]+))*`;

const secretName = String.raw`access[_-]?token|refresh[_-]?token|(?:api|access|secret|private|auth)[_-]?key|client[_-]?secret|x-[a-z-]{0,200}token|session[_-]?id|sessid|password|passwd|passphrase|passcode|${notBehindWord}pass|pwd|secret|token|signature|sig|jwt|[Пп]ароль|[Тт]окен`;

/** key=value and key: value; in quotes the whole value. */
const namedSecret = new RegExp(
  String.raw`${authorization}|((?:${secretName})${behindName})(?:(\\?")${unmasked}[^"\\\r\n]+|(')${unmasked}[^'\\\r\n]+|${unmasked}(?:(?:bearer|basic)\s+)?${bare})`,
  'giu',
);

/** Tokens that are known by their form: of VK, signed ones (JWT), of webhooks and of well-known services; a private key. */
const knownToken = new RegExp(
  String.raw`${notBehindWord}(?:vk\d\.[A-Za-z0-9._-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9._-]{8,}|whsec_[A-Za-z0-9+/=_-]{8,}|gh[a-z]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[a-z]-[A-Za-z0-9-]{10,}|A[KS]IA[A-Z0-9]{16}|sk[-_][A-Za-z0-9_-]{20,}|AIza[A-Za-z0-9_-]{30,}|y0_[A-Za-z0-9_-]{20,})|-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*`,
  'gu',
);

const email = new RegExp(
  String.raw`${ofAddress}+((?:@|\s@\s|\s?[\[(][Aa][Tt][\])]\s?)${ofDomain}+(?:\.${ofDomain}+)*\.(?:[Xx][Nn]--[A-Za-z0-9-]+|[${letters}]{2,}))?`,
  'g',
);

const mayHoldEmail = /@|[[(]at[\])]/i;

/** A number with all its digits, with spaces and dashes of every width; also after \n in JSON that was quoted into a text. */
const wholePhone = String.raw`(?:00[${gaps}]*)?[78](?:[${gaps}]*\d){10}|[78][_/]\d{3}[_/]\d{3}[_/]\d{2}[_/]\d{2}|\(?[3489]\d{2}[${gaps}]{1,3}\d{3}[${gaps}]{1,3}\d{2}[${gaps}]{0,3}\d{2}`;
/** Right behind a word or a dash, in the form of a Russian number; behind a letter from a to f it is the tail of a hash. */
const phoneBehindWord = String.raw`([G-Zg-z_\u0400-\u04FF-]|[Ii][Dd])[78][${gaps}]*[3489](?:[${gaps}]*\d){9}(?![A-Za-z0-9])`;
const namedPhone = String.raw`([^A-Za-z\u0400-\u04FF](?:(?:tele)?phone(?:[_-]?number)?|tel|msisdn|whatsapp|[Тт]ел(?:ефон)?)\\?["']?[.=:]*\s*\\?["']?)[+(]*\d(?:[${gaps}]*\d){6,14}(?!\d)`;

const phone = new RegExp(
  String.raw`([^0-9])\+\d(?:[${gaps}/_]*\d){7,14}(?!\d)|([^${word}\-]|\\[nrt])(?:${wholePhone})(?![A-Za-z0-9])|${phoneBehindWord}|${namedPhone}`,
  'giu',
);

/** Cyrillic letters and characters of full width, where an address has percent signs for them. */
const escapedLetters = /(?:%D[01]%[89AB][0-9A-F]|%EF%BC%[89AB][0-9A-F])+/gi;
const fullWidth = /[０-９＋－．：＝＠（）]/g;

/** The escapes that hide a contact or a secret: of addresses, of HTML and of MarkdownV2. As in outrider.unescape_text. */
const escapes: readonly (readonly [escape: RegExp, meaning: string])[] = [
  [/%(?:25)+([0-9A-F]{2})/gi, '%$1'],
  [/&(?:amp;)+/gi, '&'],
  [
    /<\/?(?:a|b|blockquote|br|code|del|div|em|i|ins|mark|p|pre|s|span|strike|strong|td|tg-spoiler|tr|u)(?:\s[^<>]*)?\/?>/gi,
    ' ',
  ],
  [/%20|&#0*32;|&#x0*20;|&thinsp;|&ensp;|&emsp;/gi, ' '],
  [/%C2%A0|\\u00A0|&nbsp;|&#0*160;|&#x0*A0;|&#0*8239;|&#x0*202F;|&#0*8201;|&#x0*2009;/gi, '\u00a0'],
  [/%28|&lpar;|&#0*40;|&#x0*28;/gi, '('],
  [/%29|&rpar;|&#0*41;|&#x0*29;/gi, ')'],
  [/%2B|\\u002B|&plus;|&#0*43;|&#x0*2B;/gi, '+'],
  [
    /%2D|%E2%88%92|%E2%80%9[0-5]|&minus;|&ndash;|&mdash;|&hyphen;|&dash;|&#0*8722;|&#x0*2212;|&#0*820[89];|&#0*821[0-3];|&#x0*201[0-5];|&#0*45;|&#x0*2D;/gi,
    '-',
  ],
  [/%2E|&period;|&#0*46;|&#x0*2E;/gi, '.'],
  [/%3A|&colon;|&#0*58;|&#x0*3A;/gi, ':'],
  [/%3D|\\u003D|&equals;|&#0*61;|&#x0*3D;/gi, '='],
  [/%40|\\u0040|&commat;|&#0*64;|&#x0*40;/gi, '@'],
  [/\\{1,4}([_*[\]()~`>#+=|{}.!-])/g, '$1'],
];

const cookie = /(cookie\\?["']?\s*:\s*\\?["']?)[^\s=;,"'\\]{1,100}=[^\r\n"'\\]+/gi;
const mayHide = /[%&<\\\uFF01-\uFF5E]|[Cc][Oo][Oo][Kk][Ii][Ee]/;

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
    .replace(namedSecret, '$1$2$3$4[token]')
    .replace(knownToken, '[token]');
  const withoutEmails = mayHoldEmail.test(withoutTokens)
    ? withoutTokens.replace(email, (run, domain?: string) =>
        domain === undefined ? run : '[email]',
      )
    : withoutTokens;
  // The blank in front gives every phone number a character before it.
  return ` ${withoutEmails}`.replace(phone, '$1$2$3$4[phone]').slice(1);
}

const secretKey =
  /^(.*[_-])?(token|secret|password|passwd|passphrase|passcode|pass|pwd|authorization|cookie|(api|access|secret|private|auth)[_-]?key|session[_-]?id|sessid|signature|sig|jwt|[Пп]ароль|[Тт]окен)$/i;
const phoneKey =
  /^(.*[_-])?(phone|phones|tel|telephone|msisdn|whatsapp|[Тт]елефон)([_-]numbers?)?$/i;
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
