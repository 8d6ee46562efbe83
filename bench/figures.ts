import type { Spread } from './statistics.ts';

/** About three significant digits: 12,345 · 123 · 12.3 · 1.23. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function range(values: Spread): string {
  return `${figure(values.min)}–${figure(values.max)}`;
}

export function times(ratio: number): string {
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)} ×` : '–';
}
