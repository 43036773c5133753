import { validateDetailed } from 'node-cron';

/** A cron expression as numbers. Sunday is 0. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Whether day of month and day of week are both given. As in cron, a day that matches either is enough. */
  readonly eitherDay: boolean;
  /** Whether it fires every hour: an interval, not a time of day. */
  readonly everyHour: boolean;
}

/** Returns the fault of a cron expression of five fields, or undefined. */
export function cronProblem(text: string): string | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5) {
    return `five fields are expected (minute, hour, day of month, month, day of week), such as "0 6 * * *"`;
  }
  const { errors, fields } = validateDetailed(parts.join(' '));
  const [error] = errors;
  if (error) return `${error.value ?? text} does not fit ${error.field}`;
  const special = [...(fields?.dayOfMonth ?? []), ...(fields?.dayOfWeek ?? [])].find(
    (value) => typeof value !== 'number',
  );
  return special === undefined ? undefined : `${special}: use only numbers, names, lists, ranges and steps`;
}

/**
 * Parses a cron expression.
 *
 * @throws RangeError for an expression with a `cronProblem`
 */
export function cronFields(text: string): CronFields {
  const known = KNOWN.get(text) ?? readFields(text);
  if (KNOWN.size < MOST_KNOWN) KNOWN.set(text, known);
  return known;
}

/** Caches parsed expressions, because a scheduler parses the same expressions every ten seconds. */
const KNOWN = new Map<string, CronFields>();
const MOST_KNOWN = 1000;

function readFields(text: string): CronFields {
  const problem = cronProblem(text);
  if (problem !== undefined) throw new RangeError(problem);
  const parts = text.trim().split(/\s+/);
  const { fields } = validateDetailed(parts.join(' '));
  if (!fields) throw new RangeError(`${text} has no fields`);
  const ascending = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  const hours = ascending(fields.hour);
  const free = (part: string | undefined): boolean => part === '?' || part?.startsWith('*') === true;
  return {
    minutes: ascending(fields.minute),
    hours,
    days: new Set(fields.dayOfMonth.map(Number)),
    months: new Set(fields.month),
    weekdays: new Set(fields.dayOfWeek.map((day) => Number(day) % 7)),
    eitherDay: !free(parts[2]) && !free(parts[4]),
    everyHour: hours.length === 24,
  };
}
