// Takes secrets out of what a server says: error pages quote the address of the request. A secret is known in whatever
// way each of its characters is spelled: as it is, or escaped for an address, for HTML or for JSON. What is read from an
// answer that was masked has no secret either: escapes of JSON are resolved first.

/** Below this a "secret" would mask ordinary words. */
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

// A character of ASCII that JSON need not escape. What stands before it are pairs: a backslash each, and no escape.
const needless = /(?<!\\)((?:\\\\)*)\\u00(?!22|5c|7f)([2-7][0-9a-f])/gi;

/** The same JSON, with such characters as they are. */
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

/** What begins a spelling that is not the character itself; line breaks of a text are none. */
const escapes = /[%&]|\\[u"/\\]/;

/** A process has few secrets, and each masks many texts. */
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

/** A pattern of one character. Its repetitions have an end, so that no answer takes long to look through. */
function spellingsOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // Escaped twice, `%` is `%25` and a backslash two.
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
