import type { DataClient } from '../api/data-client.ts';
import { type DataSource, describeSource, searchSource } from '../api/data-source.ts';
import type { Oql } from '../api/oql.ts';
import { SEARCH_CEILING, type SearchBody } from '../api/search.ts';
import { CrawlhouseError } from '../core/errors.ts';
import { type Field, typeFamily } from '../model/field.ts';
import type { Download, RawPart } from '../model/raw-part.ts';
import { writeRecords } from './write-records.ts';

/** What a search is asked for. */
export interface SearchRequest {
  readonly source: DataSource;
  readonly fields: readonly Field[];
  readonly oql: Oql | null;
  /** Rows that the service counts under `oql`. */
  readonly total: number;
}

type Row = Readonly<Record<string, unknown>>;

/** Rows a request: an answer is held in memory whole. */
const PAGE_ROWS = 2_000;

/**
 * Brings rows by searches. Where there are more than a search gives (api-spec.md §8), they are split by ranges of a
 * number, each counted by the service, until every piece is within reach.
 *
 * @throws CrawlhouseError `impossible_route` when no number tells the rows apart
 */
export function extractSearch(
  client: DataClient,
  request: SearchRequest,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<RawPart, Download> {
  return writeRecords(pages(client, request, signal), `${describeSource(request.source)}.jsonl`, folder);
}

async function* pages(
  client: DataClient,
  request: SearchRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const { source, fields } = request;
  const names = fields.map((field) => field.name);
  for await (const { oql, count } of pieces(client, request, signal)) {
    for (let offset = 0; offset < count; offset += PAGE_ROWS) {
      const limit = Math.min(PAGE_ROWS, SEARCH_CEILING - offset);
      const body: SearchBody = { fields: names, offset, limit, ...(oql ? { oql } : {}) };
      const answer = await searchSource(client, source, body, signal, true);
      if (answer.meta.total_hits !== count) {
        throw new CrawlhouseError(
          'cut_short',
          `${describeSource(source)}: a search counted ${count} rows and then ${answer.meta.total_hits}`,
        );
      }
      const rows = answer.urls ?? answer.links ?? [];
      if (rows.length !== Math.min(limit, count - offset)) {
        throw new CrawlhouseError(
          'cut_short',
          `${describeSource(source)}: a page of ${Math.min(limit, count - offset)} rows came with ${rows.length}`,
        );
      }
      yield rows;
    }
  }
}

/** Rows that all of `leaves` leave, besides the caller's own filter. */
interface Piece {
  readonly leaves: readonly Oql[];
  readonly count: number;
}

/** The rows in pieces that a search reaches to their end, none in two of them. */
async function* pieces(
  client: DataClient,
  { source, fields, oql, total }: SearchRequest,
  signal: AbortSignal,
): AsyncGenerator<{ readonly oql: Oql | null; readonly count: number }> {
  const numbers = fields.filter(({ arity, type }) => arity === 'one' && isNumber(type));
  const filterOf = (leaves: readonly Oql[]): Oql | null => {
    const all = [...(oql ? [oql] : []), ...leaves];
    return all.length > 1 ? { and: all } : (all[0] ?? null);
  };
  const search = (leaves: readonly Oql[], body: SearchBody) => {
    const filter = filterOf(leaves);
    return searchSource(client, source, { ...body, ...(filter ? { oql: filter } : {}) }, signal);
  };
  const counted = async (leaves: readonly Oql[]): Promise<Piece> => {
    const some = fields.slice(0, 1).map((field) => field.name);
    return { leaves, count: (await search(leaves, { limit: 0, fields: some })).meta.total_hits };
  };
  const edge = async (leaves: readonly Oql[], name: string, order: 'asc' | 'desc'): Promise<Bound> => {
    const answer = await search(leaves, { limit: 1, fields: [name], sort: [{ field: name, order }] });
    return (answer.urls ?? answer.links ?? [])[0]?.[name] as Bound;
  };

  /** By the numbers from `at` on: the rows without the number, then halves of its span. */
  const split = async function* (piece: Piece, at: number): AsyncGenerator<Piece> {
    if (piece.count <= SEARCH_CEILING) {
      if (piece.count > 0) yield piece;
      return;
    }
    const name = numbers[at]?.name;
    if (name === undefined) {
      throw new CrawlhouseError(
        'impossible_route',
        `${describeSource(source)}: ${piece.count} rows are alike in every number, and a search gives ${SEARCH_CEILING}`,
        { hint: 'take the route stream' },
      );
    }
    const { leaves } = piece;
    yield* split(await counted([...leaves, { field: [name, 'has_no_value', ''] }]), at + 1);
    const rest: readonly Oql[] = [...leaves, { field: [name, 'has_value', ''] }];
    const { count } = await counted(rest);
    if (count === 0) return;
    const [low, high] = [await edge(rest, name, 'asc'), await edge(rest, name, 'desc')];
    yield* halve({ leaves: rest, count }, at, leaves, low, high);
  };
  /** @param others leaves that say nothing of the number at `at` */
  const halve = async function* (
    piece: Piece,
    at: number,
    others: readonly Oql[],
    low: Bound,
    high: Bound,
  ): AsyncGenerator<Piece> {
    const middle = middleOf(low, high);
    // One value has them all: another number must tell them apart.
    if (piece.count <= SEARCH_CEILING || middle === null) return yield* split(piece, at + 1);
    const name = numbers[at]?.name ?? '';
    const bounds = (from: Oql, to: Oql): Promise<Piece> => counted([...others, from, to]);
    const left = await bounds({ field: [name, 'gte', low] }, { field: [name, 'lt', middle] });
    yield* halve(left, at, others, low, typeof middle === 'bigint' ? middle - 1n : middle);
    const right = await bounds({ field: [name, 'gte', middle] }, { field: [name, 'lte', high] });
    yield* halve(right, at, others, middle, high);
  };
  for await (const { leaves, count } of split({ leaves: [], count: total }, 0))
    yield { oql: filterOf(leaves), count };
}

type Bound = number | bigint;

function isNumber(type: string): boolean {
  return typeFamily(type) === 'whole' || typeFamily(type) === 'real';
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
