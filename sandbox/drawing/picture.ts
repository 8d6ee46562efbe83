// The picture in place of a photo or a video: a landscape that its seed decides. The bytes of a photo are not kept, and
// nothing is loaded from elsewhere.

import { createHash } from 'node:crypto';
import { escapeHtml } from './escape.ts';

/** `words` say what it stands for, to who cannot see it. */
export function drawPicture(seed: string, words: string): string {
  const bytes = createHash('sha256').update(seed).digest();
  const part = (index: number, most: number): number => (bytes[index] ?? 0) % most;
  const hue = part(0, 24) * 15;
  const land = (hue + 130 + part(1, 80)) % 360;
  const hill = (from: number, light: number, at: number): string => {
    const [a, b, c] = [part(at, 22), part(at + 1, 22), part(at + 2, 22)];
    const path = `M0 ${from + a}C40 ${from - b} 70 ${from + c} 104 ${from - a / 2}S140 ${from + b} 160 ${from - c}V120H0Z`;
    return `<path fill="hsl(${land} 34% ${light}%)" d="${path}"/>`;
  };
  return `<svg class="picture" viewBox="0 0 160 120" preserveAspectRatio="xMidYMid slice" role="img" aria-label="${escapeHtml(words)}"><path fill="hsl(${hue} 58% 82%)" d="M0 0H160V120H0Z"/><path fill="hsl(${(hue + 24) % 360} 66% 90%)" d="M0 46H160V120H0Z"/><circle cx="${24 + part(2, 112)}" cy="${20 + part(3, 24)}" r="${8 + part(4, 7)}" fill="hsl(${(hue + 40) % 360} 90% 97%)"/>${hill(68, 62, 5)}${hill(84, 48, 8)}${hill(102, 34, 11)}</svg>`;
}
