import { CrawlhouseError } from '../../../core/errors.ts';
import type { Limits } from '../../../core/limits.ts';
import { type Field, typeFamily } from '../../../project/model/field.ts';
import type { Download, RawPart } from '../../../project/model/raw-part.ts';
import type { ServiceClient } from '../../../service/api/client.ts';
import { type DataSource, describeSource } from '../../../service/api/data-source.ts';
import type { Oql } from '../../../service/api/oql.ts';
import { SEARCH_CEILING, type SearchBody, type SearchResponse } from '../../../service/api/search.ts';
import { writeRecords } from '../download/write-records.ts';

/** The request of a search. */
export interface SearchRequest {
  readonly source: DataSource;
  readonly fields: readonly Field[];
  readonly oql: Oql | null;
  /** Rows that the service counts under `oql`. */
  readonly total: number;
  /** Fields that no two rows share; empty where none are known. */
  readonly key: readonly string[];
  readonly limits?: Limits;
}

type Row = Readonly<Record<string, unknown>>;

/** Rows a request: an answer is held in memory whole. */
export const SEARCH_PAGE_ROWS = 2_000;

/** Rows that all of `leaves` leave, besides the caller's own filter. */
interface Piece {
  readonly leaves: readonly Oql[];
  readonly count: number;
}

/**
 * Brings rows by searches. Pages of one search have each row once only if the order is total. Rows with a key are
 * therefore sorted by it, and staging checks the key. Without a key, a search asks for one page only
 * (docs/decisions/search.md). Where there are more rows than that, or than a search gives (api-spec.md §8), they are
 * split by ranges of a number, each counted by the service, until every piece is within reach. Resolves once they are.
 *
 * @throws CrawlhouseError `impossible_route` when no number tells the rows apart, `cut_short` when the pieces do not
 * add up to the whole
 */
export async function extractSearch(
  client: ServiceClient,
  request: SearchRequest,
  folder: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<RawPart, Download>> {
  const pieces = await Array.fromAsync(new SearchSplit(client, request, signal).pieces());
  const rows = pages(client, request, pieces, signal);
  return writeRecords(rows, `${describeSource(request.source)}.jsonl`, folder, request.limits);
}

async function* pages(
  client: ServiceClient,
  { source, fields, oql, key }: SearchRequest,
  pieces: readonly Piece[],
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const names = fields.map((field) => field.name);
  const sort = key.map((field) => ({ field, order: 'asc' as const }));
  const sorted = sort.length > 0 ? { sort } : {};
  for (const { leaves, count } of pieces) {
    const filter = filterOf(oql, leaves);
    for (let offset = 0; offset < count; offset += SEARCH_PAGE_ROWS) {
      const limit = Math.min(SEARCH_PAGE_ROWS, SEARCH_CEILING - offset);
      const body: SearchBody = {
        fields: names,
        offset,
        limit,
        ...sorted,
        ...(filter ? { oql: filter } : {}),
      };
      const answer = await client.search(source, body, signal, true);
      if (answer.meta.total_hits !== count)
        throw cutShort(source, `a search counted ${count} rows and then ${answer.meta.total_hits}`);
      const rows = rowsOf(answer);
      const due = Math.min(limit, count - offset);
      if (rows.length !== due) throw cutShort(source, `a page of ${due} rows came with ${rows.length}`);
      yield rows;
    }
  }
}

/** Splits the rows into pieces that a search reaches to their end, none in two of them. */
class SearchSplit {
  readonly #client: ServiceClient;
  readonly #request: SearchRequest;
  readonly #signal: AbortSignal;
  /** Names of the numbers that the rows may be split by. */
  readonly #numbers: readonly string[];
  /** Rows of a piece at the most. */
  readonly #most: number;

  constructor(client: ServiceClient, request: SearchRequest, signal: AbortSignal) {
    this.#client = client;
    this.#request = request;
    this.#signal = signal;
    this.#numbers = request.fields.filter(isSplittable).map(({ name }) => name);
    this.#most = request.key.length > 0 ? SEARCH_CEILING : SEARCH_PAGE_ROWS;
  }

  pieces(): AsyncGenerator<Piece> {
    return this.#split({ leaves: [], count: this.#request.total }, 0);
  }

  /** By the numbers from `at` on: the rows without the number, then halves of its span. */
  async *#split(piece: Piece, at: number): AsyncGenerator<Piece> {
    const { leaves, count } = piece;
    if (count <= this.#most) {
      if (count > 0) yield piece;
      return;
    }
    const name = this.#numbers[at];
    if (name === undefined) {
      throw new CrawlhouseError(
        'impossible_route',
        `${describeSource(this.#request.source)}: ${count} rows have the same numbers, and ${this.#reach()}`,
        { hint: 'take the route stream' },
      );
    }
    const without = await this.#counted([...leaves, { field: [name, 'has_no_value', ''] }]);
    const rest = await this.#counted([...leaves, { field: [name, 'has_value', ''] }]);
    this.#refuseDifference(name, piece, without, rest);
    yield* this.#split(without, at + 1);
    if (rest.count === 0) return;
    const [low, high] = [
      await this.#edge(rest.leaves, name, 'asc'),
      await this.#edge(rest.leaves, name, 'desc'),
    ];
    yield* this.#halve(rest, { at, others: leaves, low, high });
  }

  async *#halve(piece: Piece, span: Span): AsyncGenerator<Piece> {
    const { at, others, low, high } = span;
    const middle = middleOf(low, high);
    // One value has them all: another number must tell them apart.
    if (piece.count <= this.#most || middle === null) return yield* this.#split(piece, at + 1);
    const name = this.#numbers[at] ?? '';
    const bounds = (from: Oql, to: Oql): Promise<Piece> => this.#counted([...others, from, to]);
    const left = await bounds({ field: [name, 'gte', low] }, { field: [name, 'lt', middle] });
    const right = await bounds({ field: [name, 'gte', middle] }, { field: [name, 'lte', high] });
    this.#refuseDifference(name, piece, left, right);
    yield* this.#halve(left, { ...span, high: typeof middle === 'bigint' ? middle - 1n : middle });
    yield* this.#halve(right, { ...span, low: middle });
  }

  #reach(): string {
    return this.#request.key.length > 0
      ? `a search gives ${SEARCH_CEILING}`
      : `without a key a search is reliable up to ${SEARCH_PAGE_ROWS}, one page`;
  }

  /** The two parts do not add up: rows would be missing or in both. */
  #refuseDifference(name: string, whole: Piece, one: Piece, other: Piece): void {
    if (one.count + other.count === whole.count) return;
    const parts = `${one.count} and ${other.count}`;
    throw cutShort(
      this.#request.source,
      `${whole.count} rows split by ${name} are ${parts}, which do not add up`,
    );
  }

  async #counted(leaves: readonly Oql[]): Promise<Piece> {
    const fields = this.#request.fields.slice(0, 1).map((field) => field.name);
    return { leaves, count: (await this.#search(leaves, { limit: 0, fields })).meta.total_hits };
  }

  async #edge(leaves: readonly Oql[], name: string, order: 'asc' | 'desc'): Promise<Bound> {
    const answer = await this.#search(leaves, { limit: 1, fields: [name], sort: [{ field: name, order }] });
    const value = rowsOf(answer)[0]?.[name];
    if (typeof value === 'number' || typeof value === 'bigint') return value;
    const { source } = this.#request;
    throw new CrawlhouseError(
      'contract_broken',
      `${describeSource(source)}: a search by ${name} brought ${JSON.stringify(value)}, which is not a number`,
    );
  }

  #search(leaves: readonly Oql[], body: SearchBody): Promise<SearchResponse> {
    const filter = filterOf(this.#request.oql, leaves);
    const asked = { ...body, ...(filter ? { oql: filter } : {}) };
    return this.#client.search(this.#request.source, asked, this.#signal);
  }
}

function filterOf(oql: Oql | null, leaves: readonly Oql[]): Oql | null {
  const all = [...(oql ? [oql] : []), ...leaves];
  return all.length > 1 ? { and: all } : (all[0] ?? null);
}

function rowsOf({ urls, links }: SearchResponse): readonly Row[] {
  return urls ?? links ?? [];
}

function cutShort(source: DataSource, problem: string): CrawlhouseError {
  return new CrawlhouseError('cut_short', `${describeSource(source)}: ${problem}`);
}

type Bound = number | bigint;

/** The values of the number at `at` that a piece may have, both bounds inclusive. */
interface Span {
  readonly at: number;
  readonly low: Bound;
  readonly high: Bound;
  /** The piece's leaves that say nothing of this number. */
  readonly others: readonly Oql[];
}

/** A number that a search may be filtered and sorted by. */
function isSplittable({ type, arity, can_filter, can_sort }: Field): boolean {
  const isNumber = typeFamily(type) === 'whole' || typeFamily(type) === 'real';
  return isNumber && arity === 'one' && can_filter !== false && can_sort !== false;
}

/** The first value of a span's upper half; null where it holds one value only. */
function middleOf(low: Bound, high: Bound): Bound | null {
  if (Number.isInteger(Number(low)) && Number.isInteger(Number(high))) {
    const [from, to] = [BigInt(low), BigInt(high)];
    return from >= to ? null : from + (to - from) / 2n + 1n;
  }
  const middle = (Number(low) + Number(high)) / 2;
  return middle <= Number(low) || middle >= Number(high) ? null : middle;
}
