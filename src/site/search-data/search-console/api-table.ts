import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { parseJson } from '../../../core/text/json.ts';
import type { PlausibleTime } from '../../../core/time/plausible-days.ts';
import { countryCode } from '../country-code.ts';
import { type DemandRecord, type DemandTable, DIMENSIONS, type Dimension } from '../demand-row.ts';
import { decodeText } from '../exports/decode-text.ts';
import { countText, decimalText, jsonTable } from '../exports/json-table.ts';
import { parseDay } from '../exports/parse-day.ts';
import { isUrl, makeRecord, type NamedCells } from '../make-record.ts';

/** A row of `searchAnalytics.query`; its keys are the values of the dimensions, in the requested order. */
export const AnswerRow = z.looseObject({
  keys: z.array(z.string()).optional(),
  clicks: z.union([z.number(), z.bigint()]),
  impressions: z.union([z.number(), z.bigint()]),
  position: z.number().nullish(),
});
export type AnswerRow = z.infer<typeof AnswerRow>;

/** A file is parsed as a whole. */
const MOST_BYTES = 256 * 1024 * 1024;
/** The number of rows that the dimensions are detected from, and the number below which three letters are ambiguous. */
const [SAMPLE, FEW] = [1000, 5];

const Metadata = z.looseObject({
  first_incomplete_date: z.string().optional(),
  firstIncompleteDate: z.string().optional(),
});
/** Without results a response has no rows. */
const Answer = z.looseObject({ rows: z.array(AnswerRow).optional() });
const AnyAnswer = z.looseObject({
  rows: z.array(z.unknown()),
  metadata: Metadata.optional().catch(undefined),
});

/** The contents of a JSON file. */
interface JsonFile {
  readonly table: DemandTable;
  readonly format: 'search_console_api' | 'search_console_bulk' | 'table';
  /** The first day that was still being counted; null if all are final. */
  readonly provisionalFrom: string | null;
}

/**
 * Returns the rows of a JSON file: responses of the Search Console API (one, a list of them or of rows, or one per
 * line), or records with named keys.
 *
 * @param given the requested dimensions, in their order; null: they are detected from the keys
 * @throws CrawlhouseError `usage` for a file with other content, or if the dimensions cannot be detected
 */
export async function jsonFile(
  path: string,
  given: readonly Dimension[] | null,
  range: PlausibleTime,
): Promise<JsonFile> {
  const { size } = await stat(path);
  if (size > MOST_BYTES) {
    throw new CrawlhouseError('usage', `${path} is larger than 256 MiB`, {
      hint: 'put each API response into its own file',
    });
  }
  const content = { place: path, bytes: () => createReadStream(path) };
  const documents = documentsOf((await Array.fromAsync(decodeText(content))).join(''));
  const provisionalFrom = provisionalDay(documents);
  const records = documents.flatMap((document) => AnyAnswer.safeParse(document).data?.rows ?? [document]);
  const named = jsonTable(records, path, range);
  if (named !== undefined)
    return { table: named.table, format: named.isBulk ? 'search_console_bulk' : 'table', provisionalFrom };
  const table = apiTable(answerRows(documents, path), { path, given, range });
  return { table, format: 'search_console_api', provisionalFrom };
}

function provisionalDay(documents: readonly unknown[]): string | null {
  const days = documents.flatMap((document) => {
    const { first_incomplete_date, firstIncompleteDate } = AnyAnswer.safeParse(document).data?.metadata ?? {};
    return parseDay(first_incomplete_date ?? firstIncompleteDate ?? '') ?? [];
  });
  return days.sort()[0] ?? null;
}

function apiTable(
  rows: readonly AnswerRow[],
  {
    path,
    given,
    range,
  }: { readonly path: string; readonly given: readonly Dimension[] | null; readonly range: PlausibleTime },
): DemandTable {
  const dimensions = given ?? tellDimensions(rows, path);
  const wrong = rows.findIndex(({ keys = [] }) => keys.length !== dimensions.length);
  if (wrong !== -1) {
    const has = rows[wrong]?.keys?.length ?? 0;
    throw new CrawlhouseError(
      'usage',
      `${path}: rows[${wrong}] has ${has} keys, but --dimensions has ${dimensions.length}`,
      { hint: 'set the dimensions in the order of the request: --dimensions date,page,query' },
    );
  }
  if (rows.length > 0 && rows.every(({ position }) => position === undefined)) {
    throw new CrawlhouseError(
      'usage',
      `${path} has no positions: it is from Discover or Google News, not from web search`,
      { hint: 'request the type web' },
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
          range,
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
    position: row.position === undefined || row.position === null ? null : decimalText(row.position),
  };
}

/** Returns the documents of a text: one, a list, or one per line. */
function documentsOf(text: string): unknown[] {
  const whole = parsed(text);
  if (whole !== undefined) return [whole].flat();
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parsed);
}

function answerRows(documents: readonly unknown[], path: string): AnswerRow[] {
  const rows: AnswerRow[] = [];
  for (const [index, document] of documents.entries()) {
    const at = documents.length === 1 ? path : `${path}, answer ${index + 1}`;
    const row = AnswerRow.safeParse(document);
    if (row.success) rows.push(row.data);
    else for (const row of rowsOf(document, at)) rows.push(row);
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
  throw new CrawlhouseError('usage', `${at} is not a response of searchAnalytics.query: ${why}`, {
    hint: 'a response looks like {"rows": [{"keys": […], "clicks": 1, "impressions": 2, "position": 3.5}]}',
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

/** Detects the dimensions from the form of the keys. */
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
    : `the keys ${JSON.stringify(sample[0])} do not show their dimensions`;
  throw new CrawlhouseError('usage', `${path}: ${why}`, {
    hint: 'set the dimensions in the order of the request: --dimensions date,page,query',
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
