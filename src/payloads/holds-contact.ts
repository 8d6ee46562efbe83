// Whether a raw payload may be about a person. It is generous: a payload that is removed for nothing is no loss, as it is
// kept for a few days only, and one that stays would be.

import { domainToASCII, domainToUnicode } from 'node:url';

/** Spaces, dashes and brackets play no part in a phone number, nor does the 7 or 8 before ten digits. */
export function holdsContact(bytes: Uint8Array, contact: string): boolean {
  const text = plain(Buffer.from(bytes).toString('utf8'));
  const wanted = contact.normalize('NFKC').trim().toLowerCase();
  if (/^\+?[\d\s().\u00a0\u2010-\u2015\u2212-]+$/.test(wanted)) {
    const digits = wanted.replaceAll(/\D/g, '').replace(/^[78](?=\d{10}$)/, '');
    return text.replaceAll(/\D/g, '').includes(digits);
  }
  const unescaped = text.replaceAll('\\', '');
  return spellings(wanted.replace(/^@/, '')).some((spelling) => unescaped.includes(spelling));
}

/** An e-mail address also with its domain in letters and in punycode; what is no domain becomes an empty text in both. */
function spellings(wanted: string): string[] {
  const [account = '', domain] = wanted.split('@');
  if (domain === undefined) return [wanted];
  const others = [domainToUnicode(domain), domainToASCII(domain)].filter((other) => other !== '');
  return [wanted, ...others.map((other) => `${account}@${other}`)];
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  quot: '"',
  commat: '@',
  nbsp: ' ',
  ndash: '-',
  mdash: '-',
  minus: '-',
};

/** Without the escapes of JSON, of addresses and of HTML, in the usual digits and letters, in lower case. */
function plain(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) =>
      Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
    )
    .replaceAll(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (all, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
      return code > 0x10ffff ? all : String.fromCodePoint(code);
    })
    .replaceAll(/&([a-z]{3,6});/gi, (all, name: string) => entities[name.toLowerCase()] ?? all)
    .normalize('NFKC')
    .toLowerCase();
}
