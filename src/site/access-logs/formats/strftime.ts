import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';

export type TimeParts = Partial<
  Record<'year' | 'month' | 'day' | 'hour' | 'half' | 'minute' | 'second' | 'offset', string>
>;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Conversions that abbreviate others. */
const COMPOSED: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  c: '%a %b %e %H:%M:%S %Y',
  r: '%I:%M:%S %p',
};
const CONVERSIONS: Readonly<Record<string, readonly [pattern: string, part: keyof TimeParts | null]>> = {
  Y: [String.raw`\d{4}`, 'year'],
  y: [String.raw`\d\d`, 'year'],
  m: [String.raw`\d\d`, 'month'],
  b: ['[A-Za-z]{3}', 'month'],
  h: ['[A-Za-z]{3}', 'month'],
  B: ['[A-Za-z]+', 'month'],
  d: [String.raw`\d\d`, 'day'],
  e: [String.raw`[ \d]?\d`, 'day'],
  H: [String.raw`\d\d`, 'hour'],
  I: [String.raw`\d\d`, 'hour'],
  p: ['[AaPp][Mm]', 'half'],
  M: [String.raw`\d\d`, 'minute'],
  S: [String.raw`\d\d`, 'second'],
  z: [String.raw`[+-]\d\d:?\d\d`, 'offset'],
  Z: ['[A-Z]{2,5}', null],
  a: ['[A-Za-z]{3}', null],
  A: ['[A-Za-z]+', null],
};

/** Reads a variable `%{…}t` of Apache: seconds or parts of them since 1970, or a strftime format. */
export function strftimeField(argument: string) {
  const format = argument.replace(/^(?:begin|end):/, '');
  if (/^(?:sec|msec|usec|%s)$/.test(format)) return { field: 'epoch', rank: 0, strftime: null } as const;
  if (/^[mu]sec_frac$/.test(format)) return { field: null, rank: 0, strftime: null };
  return { field: null, rank: 0, strftime: format };
}

/** Parts of any length, such as unknown conversions. With many, matching one line could take almost forever. */
const MOST_OPEN = 3;
/** In characters. */
const LONGEST_TIME = 200;

/**
 * Returns a function that parses a text into parts by a strftime format, or returns false if the text does not match.
 */
export function strftimeReader(format: string): (text: string, into: TimeParts) => boolean {
  const names: (keyof TimeParts | null)[] = [];
  let open = 0;
  const expanded = format.replaceAll(/%([FTRDcr])/g, (_, one: string) => lookUp(COMPOSED, one) ?? '');
  const pattern = expanded.replaceAll(/%(.)|([.*+?^${}()|[\]\\])/g, (_, one?: string, special?: string) => {
    if (one === undefined) return `\\${special}`;
    const [text, part] = lookUp(CONVERSIONS, one) ?? [String.raw`\S+`, null];
    if (text.endsWith('+')) open += 1;
    names.push(part);
    return `(${text})`;
  });
  if (open > MOST_OPEN)
    throw new CrawlhouseError(
      'usage',
      `the time format ${format} has more than ${MOST_OPEN} parts of any length`,
      {
        hint: `known: ${Object.keys({ ...COMPOSED, ...CONVERSIONS })
          .map((key) => `%${key}`)
          .join(' ')}`,
      },
    );
  const expression = new RegExp(`^${pattern}$`);
  return (text, into) => {
    const found = text.length > LONGEST_TIME ? null : expression.exec(text);
    if (found === null) return false;
    for (const [index, part] of names.entries())
      if (part !== null) into[part] = plainPart(part, found[index + 1] ?? '');
    return true;
  };
}

/** Returns the parts as one time of ISO 8601. */
export function isoOfParts(parts: TimeParts): string {
  const { year, month, day, hour, half, minute, second = '00', offset = '' } = parts;
  const noon = Number(hour) % 12;
  const whole = half === undefined ? hour : String(/p/i.test(half) ? noon + 12 : noon).padStart(2, '0');
  return `${year}-${month}-${day}T${whole}:${minute}:${second}${offset}`;
}

function plainPart(part: keyof TimeParts, text: string): string {
  if (part === 'year' && text.length === 2) return `20${text}`;
  if (part !== 'month' || /^\d/.test(text)) return text.trim().padStart(2, '0');
  return String(MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1).padStart(2, '0');
}
