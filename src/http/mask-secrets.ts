// Takes secrets out of what a server says: error pages quote the address of the request. A secret is recognised
// however each of its characters is spelled: as it is, or escaped for an address, for HTML or for JSON. Values that are
// parsed from a masked answer hold no secret either: escapes of JSON are resolved before the masking.

/** A shorter "secret" would mask ordinary words. */
const shortest = 8;

export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = withoutNeedlessEscapes(text);
  for (const secret of secrets) {
    if (secret.length < shortest) continue;
    const { plain, spelled } = formsOf(secret);
    for (const form of plain) masked = masked.replaceAll(form, '***');
    // Few answers have such an escape, and looking for one costs less than looking for all spellings.
    if (escapes.test(masked)) masked = masked.replace(spelled, '***');
  }
  return masked;
}

// An escaped ASCII character that JSON need not escape. Only pairs of backslashes may stand before it: each pair is one
// backslash, and begins no escape.
const needless = /(?<!\\)((?:\\\\)*)\\u00(?!22|5c|7f)([2-7][0-9a-f])/gi;

/** The same JSON, with such characters unescaped. */
function withoutNeedlessEscapes(text: string): string {
  if (!text.includes('\\u00')) return text;
  return text.replace(
    needless,
    (_escape, pairs: string, hex: string) => pairs + String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

interface Forms {
  readonly plain: readonly string[];
  readonly spelled: RegExp;
}

/** What an escaped spelling begins with. An escaped line break is not among them. */
const escapes = /[%&]|\\[u"/\\]/;

/** Enough: a process has few secrets, and each is looked for in many texts. */
const remembered = 100;
const known = new Map<string, Forms>();

function formsOf(secret: string): Forms {
  const before = known.get(secret);
  if (before !== undefined) return before;
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  const plain = [...new Set([secret, base64, bytes.toString('base64url')])];
  const spelled = plain.map((form) => Array.from(form, spellingsOf).join(''));
  const forms = { plain, spelled: new RegExp(spelled.join('|'), 'g') };
  if (known.size === remembered) known.clear();
  known.set(secret, forms);
  return forms;
}

const names: Readonly<Record<string, string>> = {
  '"': 'quot',
  '&': 'amp',
  "'": 'apos',
  '+': 'plus',
  '/': 'sol',
  ':': 'colon',
  '<': 'lt',
  '=': 'equals',
  '>': 'gt',
  _: 'lowbar',
};

/** A pattern for all spellings of one character. Its repetitions are limited, so no answer takes long to search. */
function spellingsOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // In a text that is escaped twice, `%` is `%25`, and a backslash is two.
  const octets = Array.from(Buffer.from(character), (byte) => `%(?:25){0,3}${anyCase(byte, 2)}`);
  const units = character.split('').map((unit) => `\\\\{1,4}u${anyCase(unit.charCodeAt(0), 4)}`);
  const references = [`#0{0,8}${code}`, `#[xX]0{0,8}${anyCase(code, 1)}`, names[character] ?? []];
  const entity = `&(?:amp;){0,3}(?:${references.flat().join('|')});`;
  // JSON may, or must, put a backslash before these.
  const before = '"/\\'.includes(character) ? '\\\\{0,4}' : '';
  return `(?:${before}${RegExp.escape(character)}|${octets.join('')}|${units.join('')}|${entity})`;
}

function anyCase(number: number, digits: number): string {
  const hex = number.toString(16).padStart(digits, '0');
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
