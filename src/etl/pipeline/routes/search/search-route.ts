import type { ServiceClient } from '../../../../client/http/service-client.ts';
import type { Oql } from '../../../../client/oql/oql.ts';
import { type DataSource, describeSource, uniqueFields } from '../../../../client/resources/data-source.ts';
import { SEARCH_CEILING, type SearchBody, type SearchResponse } from '../../../../client/resources/search.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Limits } from '../../../../core/net/download-limits.ts';
import type { DownloadFacts, Part } from '../../../project/model/download.ts';
import { type Field, typeFamily } from '../../../project/model/field.ts';
import { limitsOf } from '../../../project/settings/limits.ts';
import { writeRecords } from '../download/write-records.ts';
import { describedRows, describingRequests, isStreamed, type RouteKind } from '../route.ts';

/** Pages of searches (docs/decisions/service.md). */
export const SEARCH_ROUTE: RouteKind = {
  reason: 'a search, because the service refused the export',
  formats: (source) => (isStreamed(source) ? ['json'] : []),
  suits: (rows) => rows !== null && rows <= SEARCH_CEILING,
  requests: (source, rows) => describingRequests(source) + Math.ceil((rows ?? 0) / SEARCH_PAGE_ROWS),
  async open({ client, settings, signal }, routed) {
    const { source, fields, reported } = describedRows(routed);
    const { oql } = routed.task;
    const key = sortableKey(source, fields);
    const limits = limitsOf(settings);
    const request = { source, fields: fields, oql, total: reported, key, limits };
    const parts = await extractSearch(client, request, routed.folder, signal);
    // One page is one response, which contains no row twice.
    const pageKey = reported > SEARCH_PAGE_ROWS ? key : [];
    return { reported, fields, shown: 'every', filter: oql, parts, key: pageKey };
  },
};

/** Returns fields that are unique per row, if all of them are requested and sortable. */
function sortableKey(source: DataSource, fields: readonly Field[]): readonly string[] {
  const key = uniqueFields(source);
  const isSortable = (name: string): boolean =>
    fields.some((field) => field.name === name && field.can_sort !== false);
  return key.every(isSortable) ? key : [];
}
interface SearchRequest {
  readonly source: DataSource;
  readonly fields: readonly Field[];
  readonly oql: Oql | null;
  /** Rows that the service counts with `oql`. */
  readonly total: number;
  /** Fields that are unique per row; empty if none are known. */
  readonly key: readonly string[];
  readonly limits?: Limits;
}

type SearchRow = Readonly<Record<string, unknown>>;

/** Rows per request. A response is read into memory as a whole. */
export const SEARCH_PAGE_ROWS = 2_000;

/** Rows that match all of `leaves`, in addition to the caller's filter. */
interface Piece {
  readonly leaves: readonly Oql[];
  readonly count: number;
}

/**
 * Downloads rows by searches. The pages of a search contain each row exactly once only if the order is total. So rows
 * with a key are sorted by the key, and staging checks the key. Without a key, a search requests only one page
 * (docs/decisions/service.md). If there are more rows than that, or than a search returns (api-spec.md §8), the rows
 * are split by ranges of a number, each counted by the service, until a search can read every piece. Resolves once all
 * rows are split.
 *
 * @throws CrawlhouseError `impossible_route` when no number distinguishes the rows, `cut_short` when rows appear or
 *   disappear meanwhile
 */
export async function extractSearch(
  client: ServiceClient,
  request: SearchRequest,
  folder: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<Part, DownloadFacts>> {
  const pieces = await Array.fromAsync(new SearchSplit(client, request, signal).pieces());
  const rows = pages(client, request, pieces, signal);
  return writeRecords(rows, `${describeSource(request.source)}.jsonl`, folder, request.limits);
}

async function* pages(
  client: ServiceClient,
  { source, fields, oql, key }: SearchRequest,
  pieces: readonly Piece[],
  signal: AbortSignal,
): AsyncGenerator<readonly SearchRow[]> {
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
        throw cutShort(source, `a search counted ${count} rows, then ${answer.meta.total_hits}`);
      const rows = rowsOf(answer);
      const due = Math.min(limit, count - offset);
      if (rows.length !== due) throw cutShort(source, `a page of ${due} rows has ${rows.length}`);
      yield rows;
    }
  }
}

/** Splits the rows into disjoint pieces that a search can read completely. */
class SearchSplit {
  readonly #client: ServiceClient;
  readonly #request: SearchRequest;
  readonly #signal: AbortSignal;
  /** The numbers that the rows may be split by. */
  readonly #numbers: readonly Field[];
  /** Maximum rows of a piece. */
  readonly #most: number;
  /** The counts that did not add up. */
  readonly #unordered: string[] = [];

  constructor(client: ServiceClient, request: SearchRequest, signal: AbortSignal) {
    this.#client = client;
    this.#request = request;
    this.#signal = signal;
    this.#numbers = request.fields.filter(isSplittable);
    this.#most = request.key.length > 0 ? SEARCH_CEILING : SEARCH_PAGE_ROWS;
  }

  pieces(): AsyncGenerator<Piece> {
    return this.#split({ leaves: [], count: this.#request.total }, 0);
  }

  /** Splits rows by the numbers from `at` on: first the rows without the number, then halves of its span. */
  async *#split(piece: Piece, at: number): AsyncGenerator<Piece> {
    const { leaves, count } = piece;
    if (count <= this.#most) {
      if (count > 0) yield piece;
      return;
    }
    if (this.#numbers[at] === undefined) {
      const why = this.#unordered[0] ?? `${count} rows have the same numbers`;
      throw new CrawlhouseError(
        'impossible_route',
        `${describeSource(this.#request.source)}: ${why}, and ${this.#reach()}`,
        { hint: 'use the route stream' },
      );
    }
    const name = this.#nameOf(at);
    const without = await this.#counted([...leaves, { field: [name, 'has_no_value', ''] }]);
    const rest = await this.#counted([...leaves, { field: [name, 'has_value', ''] }]);
    if (!(await this.#addUp(name, piece, [without, rest]))) return yield* this.#split(piece, at + 1);
    yield* this.#split(without, at + 1);
    if (rest.count === 0) return;
    yield* this.#halve(rest, await this.#spanOf(rest, at, leaves));
  }

  async *#halve(piece: Piece, span: Span): AsyncGenerator<Piece> {
    const { at, others, low, high, isHighIn } = span;
    const middle = middleOf(span, this.#isWhole(at));
    // All rows have one value, so another number must distinguish them.
    if (piece.count <= this.#most || middle === null) return yield* this.#split(piece, at + 1);
    const name = this.#nameOf(at);
    const bounds = (from: Oql, to: Oql): Promise<Piece> => this.#counted([...others, from, to]);
    const from: Oql = { field: [name, 'gte', middle] };
    const left = await bounds({ field: [name, 'gte', low] }, { field: [name, 'lt', middle] });
    const right = await bounds(from, { field: [name, isHighIn ? 'lte' : 'lt', high] });
    if (!(await this.#addUp(name, piece, [left, right]))) return yield* this.#split(piece, at + 1);
    // An empty half shows that the values are close together. Their actual edges separate them sooner.
    const isUneven = left.count === 0 || right.count === 0;
    const spanOf = async (half: Piece, own: Span): Promise<Span> =>
      isUneven && half.count > this.#most ? this.#spanOf(half, at, others) : own;
    yield* this.#halve(left, await spanOf(left, { ...span, high: middle, isHighIn: false }));
    yield* this.#halve(right, await spanOf(right, { ...span, low: middle }));
  }

  /** Returns the span from the least to the greatest value of the number at `at`. */
  async #spanOf({ leaves }: Piece, at: number, others: readonly Oql[]): Promise<Span> {
    const name = this.#nameOf(at);
    const [low, high] = [await this.#edge(leaves, name, 'asc'), await this.#edge(leaves, name, 'desc')];
    return { at, others, low, high, isHighIn: true };
  }

  #nameOf(at: number): string {
    return this.#numbers[at]?.name ?? '';
  }

  #isWhole(at: number): boolean {
    return typeFamily(this.#numbers[at]?.type ?? '') === 'whole';
  }

  #reach(): string {
    return this.#request.key.length > 0
      ? `a search returns ${SEARCH_CEILING}`
      : `without a key a search is reliable up to ${SEARCH_PAGE_ROWS}, one page`;
  }

  /**
   * Returns whether two parts together contain each row of the whole exactly once. If not, the number cannot split
   * these rows, because the service has values that its own bounds do not order.
   *
   * @throws CrawlhouseError `cut_short` if the rows of the whole have changed meanwhile
   */
  async #addUp(name: string, whole: Piece, [one, other]: readonly [Piece, Piece]): Promise<boolean> {
    if (one.count + other.count === whole.count) return true;
    const { count } = await this.#counted(whole.leaves);
    const { source } = this.#request;
    if (count !== whole.count) throw cutShort(source, `${whole.count} rows were ${count} a moment later`);
    this.#unordered.push(
      `${count} rows split by ${name} are ${one.count} and ${other.count}, which do not add up`,
    );
    return false;
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
      `${describeSource(source)}: a search by ${name} returned ${JSON.stringify(value)}, which is not a number`,
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

function rowsOf({ urls, links }: SearchResponse): readonly SearchRow[] {
  return urls ?? links ?? [];
}

function cutShort(source: DataSource, problem: string): CrawlhouseError {
  return new CrawlhouseError('cut_short', `${describeSource(source)}: ${problem}`);
}

type Bound = number | bigint;

/** The possible values of the number at `at` in a piece: from `low` to before `high`, or including `high`. */
interface Span {
  readonly at: number;
  readonly low: Bound;
  readonly high: Bound;
  readonly isHighIn: boolean;
  /** The piece's leaves about other fields. */
  readonly others: readonly Oql[];
}

/** Returns whether a search may be filtered and sorted by the field, which is a number. */
function isSplittable({ type, arity, can_filter, can_sort }: Field): boolean {
  const isNumber = typeFamily(type) === 'whole' || typeFamily(type) === 'real';
  return isNumber && arity === 'one' && can_filter !== false && can_sort !== false;
}

/**
 * Returns the first value of a span's upper half; null for a span of one value. Between two adjacent integers, there
 * are other real numbers.
 */
function middleOf({ low, high, isHighIn }: Span, isWhole: boolean): Bound | null {
  if (low >= high) return null;
  const mean = Number(low) / 2 + Number(high) / 2;
  const middle = isWhole ? Math.ceil(mean) : mean;
  if (middle > low && middle < high) return middle;
  // Integers beyond 2^53 are closer together than doubles.
  if (typeof low === 'bigint' && typeof high === 'bigint' && high - low > 1n) return low + (high - low) / 2n;
  return isHighIn ? high : null;
}
