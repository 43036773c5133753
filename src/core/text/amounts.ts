import { lookUp } from './look-up.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Returns the bytes for people: `3.4 MB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const scaled = bytes / 1000 ** power;
  return `${power === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${UNITS[power]}`;
}

/** Returns a duration for people: `0.4 s`, `12 s`, `3 min`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const FORMATS = [0, 1, 2, 3].map(
  (maximumFractionDigits) =>
    new Intl.NumberFormat('en-US', { signDisplay: 'negative', maximumFractionDigits }),
);

/** Returns a number for people: `12,345`, `120.55`, `−3`. A number that rounds to 0 has no sign. */
export function figureText(value: number | bigint, digits: 0 | 1 | 2 | 3 = 2): string {
  return FORMATS[digits]?.format(value).replace('-', '−') ?? String(value);
}

/** Returns a number for people: `1,234,567`. */
export function countText(count: number | bigint): string {
  return figureText(count, 3);
}

/** Returns a change for people: `+12`, `−3.2`, `0`. A change that rounds to 0 has no sign. */
export function signedText(change: number | bigint, digits: 0 | 1 | 2 | 3 = 2): string {
  const figure = figureText(change, digits);
  return change > 0 && figure !== '0' ? `+${figure}` : figure;
}

/** Minimum base of a percentage: from there, one more or less is at most 5 %. */
const LEAST_BASE = 20;

/** ` (−12.5 %)`, to append to a change; empty if the base is too small. */
export function percentText(change: number, before: number | null): string {
  return before === null || before < LEAST_BASE ? '' : ` (${signedText((100 * change) / before, 1)} %)`;
}

/** Returns the sum of the known numbers; null (not 0) if none is known. */
export function sumOfKnown(counts: readonly (number | bigint | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((sum: number, count) => sum + Number(count), 0);
}

/** Returns a number of things for people: `1 unit`, `1,234 units`. */
export function counted(count: number, thing: string): string {
  return `${countText(count)} ${thing}${count === 1 ? '' : 's'}`;
}

const SIZES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Returns the bytes of a size in a setting, such as `400MB` or `1.5 GiB`. */
export function bytesOf(size: string): number {
  const [, amount = '', unit = ''] = /^([\d.]+)\s*(\w+)$/.exec(size) ?? [];
  return Math.round(Number(amount) * (lookUp(SIZES, unit.toLowerCase()) ?? Number.NaN));
}

/** Returns the first texts, and how many others there are. */
export function firstOf(texts: readonly string[], most: number): string {
  const others = texts.length > most ? `; ${countText(texts.length - most)} more` : '';
  return texts.slice(0, most).join('; ') + others;
}
