import { bytesText, countText, durationText } from '../../../core/text/amounts.ts';
import type { Kind, Value } from './blocks.ts';

const DAY_SECONDS = 86_400;

/** A value in words, the same on a terminal and in a browser. */
export function valueText(value: NonNullable<Value>, kind: Kind): string {
  if (kind === 'time') return String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2');
  if (typeof value === 'string') return value;
  switch (kind) {
    case 'count':
      return countText(value);
    case 'bytes':
      return bytesText(Number(value));
    case 'duration':
      return durationText(Number(value));
    case 'age':
      return ageText(Number(value));
    case 'text':
    case 'code':
    case 'status':
    case 'severity':
      return String(value);
  }
}

/** `5 h 3 min`, `12 days`: hours say little of what is older than two days. */
function ageText(seconds: number): string {
  return seconds < 2 * DAY_SECONDS
    ? durationText(seconds)
    : `${countText(Math.floor(seconds / DAY_SECONDS))} days`;
}
