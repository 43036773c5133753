import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { stringifyJson } from '../../core/text/json.ts';

/** Few by default: an assistant requests more if necessary. */
const ROWS = 20;
const MOST_ROWS = 1000;

const LIMIT = `a whole number from 1 to ${MOST_ROWS}`;

/** The number of rows in an answer, and where they begin. */
export const PART = {
  limit: z
    .int({ error: LIMIT })
    .min(1, { error: LIMIT })
    .max(MOST_ROWS, { error: LIMIT })
    .default(ROWS)
    .describe('The maximum number of rows of the answer.'),
  cursor: z
    .string()
    .regex(/^\d{1,9}$/)
    .default('0')
    .describe('The next_cursor of the previous answer, for the rows that follow.'),
};

export interface AskedPart {
  readonly limit: number;
  readonly cursor: string;
}

/** Returns some of the rows; `next_cursor` if more follow. */
export function partOfRows<T>(
  rows: readonly T[],
  { limit, cursor }: AskedPart,
  total: number | null = rows.length,
): { readonly total: number | null; readonly rows: readonly T[]; readonly next_cursor?: string } {
  const [from, to] = [Number(cursor), Number(cursor) + limit];
  if (total !== null && from > 0 && from >= total) throw behindTheEnd(total);
  const part = { total, rows: rows.slice(from, to) };
  // If fewer rows were read, no cursor leads to the rest.
  return total !== null && total > to && rows.length >= to ? { ...part, next_cursor: String(to) } : part;
}

/** Maximum characters of an answer: about 20,000 tokens, with 3 characters of JSON in a token. */
const MOST_CHARACTERS = 60_000;

/**
 * Requests an answer with fewer rows if it is too long for an assistant. Its cursor leads to the other rows.
 *
 * @throws CrawlhouseError `query_limit` if one row is too long, or the answer has no limit
 */
export async function withinBudget<Asked extends { readonly limit?: number }>(
  asked: Asked,
  answer: (asked: Asked) => Promise<unknown>,
): Promise<unknown> {
  let former = Number.POSITIVE_INFINITY;
  for (let { limit } = asked; ; ) {
    const found = await answer({ ...asked, ...(limit !== undefined && { limit }) });
    const { length } = stringifyJson(found);
    if (length <= MOST_CHARACTERS) {
      if (limit === asked.limit) return found;
      const note = `limit is ${limit} instead of ${asked.limit}: an answer has at most ${MOST_CHARACTERS} characters`;
      return { ...(found as object), note };
    }
    if (limit === undefined || limit === 1)
      throw new CrawlhouseError(
        'query_limit',
        `the answer has ${length} characters; the maximum is ${MOST_CHARACTERS}`,
        { hint: 'request less: fewer columns, one part, or a narrower question' },
      );
    // If the answer is hardly shorter than with a larger limit, it has fewer rows than the limit.
    const share = length > former * 0.9 ? 1 / Math.sqrt(limit) : (0.9 * MOST_CHARACTERS) / length;
    limit = Math.max(1, Math.floor(limit * share));
    former = length;
  }
}

export function behindTheEnd(total: number): CrawlhouseError {
  return new CrawlhouseError('usage', `the cursor is after the last of ${total} rows`, {
    hint: 'begin again without a cursor',
  });
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/(^|_)depth$/, 'clicks from the start'],
  [/load_time|^cwv_(fcp|lcp|si|tbt|tti|time_saving)$/, 'milliseconds'],
  [/^weight$/, 'KB'],
  [/bytes/, 'bytes'],
  [/_percent$/, 'percent, 0 to 100'],
  [/(^|_)(ctr|similarity|share)$|^text_to_code$/, 'share, 0 to 1'],
  [/(^|_)position$/, '1 is the first result'],
  [/inrank/, '0 to 10'],
  [/_length$/, 'characters'],
  [/word_count/, 'words'],
  [/_at$/, 'a point in time, UTC'],
];

/** Returns the units of numbers and times, by column name. */
export function unitsOf(rows: readonly object[]): { readonly units?: Readonly<Record<string, string>> } {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const known = [...names].flatMap((name) => {
    const unit = UNITS.find(([pattern]) => pattern.test(name));
    return unit === undefined ? [] : [[name, unit[1]] as const];
  });
  return known.length === 0 ? {} : { units: Object.fromEntries(known) };
}
