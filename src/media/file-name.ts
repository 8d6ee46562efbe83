// The name of a fetched file. It comes from strangers and is shown to readers, so it is cleaned.

import { MIMEType } from 'node:util';

const maxLength = 255;

/** The name that a Content-Disposition header gives; undefined if it gives none that can be used. */
export function namedByHeader(disposition: string): string | undefined {
  const params = paramsOf(disposition);
  const extended = /^utf-8'[^']*'(.*)$/i.exec(params?.get('filename*') ?? '')?.[1];
  if (extended !== undefined) return cleaned(decoded(extended));
  const plain = params?.get('filename') ?? '';
  // Most servers write non-ASCII characters as UTF-8, against the rule.
  const asUtf8 = Buffer.from(plain, 'latin1').toString();
  return cleaned(asUtf8.includes('\ufffd') ? plain : asUtf8);
}

/** The last segment of the address's path; undefined if it cannot be used. */
export function namedByAddress(url: string): string | undefined {
  return cleaned(decoded(URL.parse(url)?.pathname.split('/').at(-1) ?? ''));
}

// The parameters of a disposition have the same syntax as those of a media type.
function paramsOf(disposition: string): MIMEType['params'] | undefined {
  try {
    return new MIMEType(`x/${disposition}`).params;
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Without a path, and without characters that are invisible, turn the writing around or mean something to a system. */
function cleaned(name: string): string | undefined {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const visible = last.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').replaceAll(/[<>:"|?*]/g, '_');
  const clean = shortened(Array.from(visible)).replaceAll(/^[\s.]+|[\s.]+$/g, '');
  return clean === '' ? undefined : clean;
}

function shortened(characters: readonly string[]): string {
  if (characters.length <= maxLength) return characters.join('');
  const extension = /\.[^.]{1,16}$/u.exec(characters.slice(-17).join(''))?.[0] ?? '';
  return `${characters.slice(0, maxLength - Array.from(extension).length).join('')}${extension}`;
}
