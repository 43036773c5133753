import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { parseJson } from '../../../../core/text/json.ts';
import { countryCode } from '../country-code.ts';
import { type DemandRecord, type DemandTable, DIMENSIONS, type Dimension } from '../demand-row.ts';
import { decodeText } from '../exports/decode-text.ts';
import { parseDay } from '../exports/parse-day.ts';
import { isUrl, makeRecord, type NamedCells } from '../make-record.ts';

/** A row of `searchAnalytics.query`; its keys are the values of the dimensions, in the order that was asked for. */
export const AnswerRow = z.looseObject({
  keys: z.array(z.string()).optional(),
  clicks: z.union([z.number(), z.bigint()]),
  impressions: z.union([z.number(), z.bigint()]),
  position: z.number().nullish(),
});
export type AnswerRow = z.infer<typeof AnswerRow>;

/** A file is parsed as a whole. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Rows that the dimensions are told from, and as few of them as leave three letters open. */
const [SAMPLE, FEW] = [1000, 5];

/** Without results an answer has no rows. */
const Answer = z.looseObject({ rows: z.array(AnswerRow).optional() });

/**
 * The rows of a file with answers of the Search Console API: one answer, a list of them or of rows, or one a line.
 *
 * @param given the dimensions that were asked for, in their order; null: they are told from the keys
 * @throws CrawlhouseError `usage` for a file with something else, or where the dimensions can't be told
 */
export async function apiTable(path: string, given: readonly Dimension[] | null): Promise<DemandTable> {
  const { size } = await stat(path);
  if (size > MOST_BYTES) {
    throw new CrawlhouseError('usage', `${path} is larger than 256 MiB`, {
      hint: 'put each answer of the API into a file of its own',
    });
  }
  const content = { place: path, bytes: () => createReadStream(path) };
  const rows = answerRows((await Array.fromAsync(decodeText(content))).join(''), path);
  const dimensions = given ?? tellDimensions(rows, path);
  const wrong = rows.findIndex(({ keys = [] }) => keys.length !== dimensions.length);
  if (wrong !== -1) {
    const has = rows[wrong]?.keys?.length ?? 0;
    throw new CrawlhouseError(
      'usage',
      `${path}: rows[${wrong}] has ${has} keys, and ${dimensions.length} dimensions are given`,
      { hint: 'give the dimensions of the request in their order: --dimensions date,page,query' },
    );
  }
  if (rows.length > 0 && rows.every(({ position }) => position === undefined)) {
    throw new CrawlhouseError(
      'usage',
      `${path} has no positions: it is of Discover or Google News, not of web search`,
      {
        hint: 'ask for the type web',
      },
    );
  }
  return {
    place: path,
    dimensions,
    async *records(signal): AsyncGenerator<DemandRecord> {
      for (const [index, row] of rows.entries()) {
        signal.throwIfAborted();
        yield makeRecord(cellsOf(row, dimensions), dimensions, {
          place: `${path}, rows[${index}]`,
          line: null,
        });
      }
    },
  };
}

export function cellsOf({ keys = [], ...row }: AnswerRow, dimensions: readonly Dimension[]): NamedCells {
  return {
    ...Object.fromEntries(dimensions.map((name, at) => [name, keys[at] ?? null])),
    clicks: countText(row.clicks),
    impressions: countText(row.impressions),
    position: row.position === undefined || row.position === null ? null : decimals(row.position),
  };
}

/** A fraction has an exponent: `1.234` would be read as a thousand, as tables write it. */
function countText(value: number | bigint): string {
  return typeof value === 'bigint' || Number.isInteger(value) ? String(value) : value.toExponential();
}

/** Without an exponent, which very small numbers have. */
function decimals(value: number): string {
  return value < 1e-6 ? '0' : String(value);
}

function answerRows(text: string, path: string): AnswerRow[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const whole = parsed(text);
  const documents = whole !== undefined ? [whole].flat() : lines.map(parsed);
  const rows: AnswerRow[] = [];
  for (const [index, document] of documents.entries()) {
    const at = documents.length === 1 ? path : `${path}, answer ${index + 1}`;
    const row = AnswerRow.safeParse(document);
    if (row.success) rows.push(row.data);
    else rows.push(...rowsOf(document, at));
  }
  return rows;
}

function rowsOf(document: unknown, at: string): AnswerRow[] {
  const answer = Answer.safeParse(document);
  if (answer.success) {
    const isEmpty =
      typeof document === 'object' && document !== null && 'responseAggregationType' in document;
    if (answer.data.rows !== undefined || isEmpty) return answer.data.rows ?? [];
  }
  const problem = answer.error?.issues[0];
  const why = problem === undefined ? 'it has no rows' : `${problem.path.join('.')}: ${problem.message}`;
  throw new CrawlhouseError('usage', `${at} is no answer of searchAnalytics.query: ${why}`, {
    hint: 'an answer is {"rows": [{"keys": […], "clicks": 1, "impressions": 2, "position": 3.5}]}',
  });
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Then each line may be a document.
    return undefined;
  }
}

/** The dimensions by what the keys look like. */
function tellDimensions(rows: readonly AnswerRow[], path: string): Dimension[] {
  const sample = rows.slice(0, SAMPLE).map(({ keys = [] }) => keys);
  const width = sample[0]?.length ?? 0;
  const found = Array.from({ length: width }, (_, at) => lookOf(sample.map((keys) => keys[at] ?? '')));
  const told = found.map((one) => (one === 'other' ? 'query' : one));
  const isFew = sample.length < FEW && told.includes('country') && !told.includes('query');
  const isDouble = new Set(told).size < told.length;
  if (!told.includes('appearance') && !isFew && !isDouble)
    return told.filter((one): one is Dimension => DIMENSIONS.includes(one as Dimension));
  const why = told.includes('appearance')
    ? 'rows by searchAppearance have neither a URL nor a query'
    : `the keys ${JSON.stringify(sample[0])} do not tell which dimensions they are of`;
  throw new CrawlhouseError('usage', `${path}: ${why}`, {
    hint: 'give the dimensions of the request in their order: --dimensions date,page,query',
  });
}

function lookOf(values: readonly string[]): Dimension | 'appearance' | 'other' {
  const all = (fits: (value: string) => boolean): boolean => values.every(fits);
  if (all((value) => parseDay(value) !== undefined)) return 'date';
  if (all(isUrl)) return 'url';
  if (all((value) => /^(DESKTOP|MOBILE|TABLET)$/.test(value))) return 'device';
  if (all((value) => /^[a-z]{3}$/.test(value) && (value === 'zzz' || countryCode(value) === value)))
    return 'country';
  if (all((value) => /^[A-Z]+(_[A-Z]+)+$/.test(value))) return 'appearance';
  return 'other';
}
