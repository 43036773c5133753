import { lookUp } from '../../../../core/text/look-up.ts';
import { CHART_COLOURS as COLOURS } from '../page-style.ts';

/** Ranges of HTTP statuses, as `mart.pages.status_code_range` has them. */
export const STATUS_RANGES = [
  { range: 'ok', name: '2xx', colour: COLOURS.green },
  { range: 'redirect', name: '3xx', colour: COLOURS.blue },
  { range: 'client_error', name: '4xx', colour: COLOURS.orange },
  { range: 'server_error', name: '5xx', colour: COLOURS.purple },
  { range: null, name: 'no answer', colour: COLOURS.grey },
] as const;

const SEVERITIES: Readonly<Record<string, string>> = {
  high: COLOURS.red,
  medium: COLOURS.amber,
  low: COLOURS.slate,
};

/** Groups of run statuses, with a color each. */
export const RUN_STATUSES = [
  { name: 'done', colour: COLOURS.green },
  { name: 'partial', colour: COLOURS.amber },
  { name: 'failed, refused', colour: COLOURS.red },
  { name: 'killed', colour: COLOURS.purple },
  { name: 'running', colour: COLOURS.blue },
  { name: 'other', colour: COLOURS.grey },
];

export function runColour(status: string): string {
  return RUN_STATUSES.find(({ name }) => name.split(', ').includes(status))?.colour ?? COLOURS.grey;
}

/** Colors of values that have no meaning of their own, in order. Further values are gray. */
export const SERIES_COLOURS = [
  COLOURS.blue,
  COLOURS.orange,
  COLOURS.green,
  COLOURS.purple,
  COLOURS.amber,
  COLOURS.slate,
  COLOURS.brown,
  COLOURS.violet,
];
const OTHERS = COLOURS.grey;

/** Colors of values: values with a meaning have their own color, the others get the next one. */
export function coloursOf(values: readonly (string | null)[]): readonly string[] {
  const meant = values.map(meaning);
  const free = SERIES_COLOURS.filter((colour) => !meant.includes(colour));
  const plain = values.filter((_, place) => meant[place] === undefined);
  return values.map((value, place) => meant[place] ?? free[plain.indexOf(value)] ?? OTHERS);
}

/** Pages that only one of two crawls read: a change that nobody observed. */
const UNOBSERVED = ['missing', 'unseen'];

function meaning(value: string | null): string | undefined {
  if (value === null || UNOBSERVED.includes(value)) return OTHERS;
  const range = value.replace(' ', '_');
  const status = STATUS_RANGES.find(
    (one) => range === one.range || value === one.name || isOf(value, one.name),
  );
  return status?.colour ?? lookUp(SEVERITIES, value);
}

/** Returns whether `404` is one of `4xx`. */
function isOf(status: string, name: string): boolean {
  return /^[2-5]\d\d$/.test(status) && name === `${status[0]}xx`;
}
