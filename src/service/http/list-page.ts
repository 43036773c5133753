import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Endpoint } from '../../client/endpoint.ts';
import type { ListQuery, PageMeta } from '../../client/http/pagination.ts';
import { decodeRison } from '../../client/http/rison.ts';
import type { Oql } from '../../client/oql/oql.ts';
import { stringifyJson } from '../../core/text/json.ts';
import { lookUp } from '../../core/text/look-up.ts';
import type { Column } from '../fields/column.ts';
import { checkOql } from '../oql/check-oql.ts';
import { invalidParameter } from '../resources/refusal.ts';
import { publicView, type StoredResource } from '../resources/resources.ts';
import { filterResources } from '../rows/dataset-query.ts';
import type { ServiceRows } from '../rows/service-rows.ts';
import { type EndpointCall, serve } from './serve.ts';

/** Types of the lists' fields; the others are text. */
const TYPES: Readonly<Record<string, string>> = {
  created_at: 'natural',
  requested_at: 'natural',
  size_bytes: 'natural',
  row_count: 'natural',
  status: 'enum',
};
const MANY = new Set(['features']);

type Sort = readonly [name: string, order: 'asc' | 'desc'];

interface ListOptions {
  readonly rows: ServiceRows;
  /** The fields that it can be sorted and filtered by. */
  readonly names?: readonly string[];
  /** Maps a name to the resources' own name, if that differs (spec-notes.md 4). */
  readonly aliases?: Readonly<Record<string, string>>;
}

/**
 * Serves pages of a list under the name of its resource, with `meta` (api-spec.md §2.2).
 *
 * @param resourcesOf returns the resources in natural order, newest first
 */
export function serveList<E extends Endpoint & { readonly result: string }>(
  api: FastifyInstance,
  endpoint: E,
  options: ListOptions,
  resourcesOf: (parameters: EndpointCall<E>['parameters']) => readonly StoredResource[],
): void;
export function serveList(
  api: FastifyInstance,
  endpoint: ListEndpoint,
  options: ListOptions,
  resourcesOf: (parameters: Readonly<Record<string, string>>) => readonly StoredResource[],
): void {
  serve(api, endpoint, async ({ parameters, query }) => {
    const { meta, items } = await listPage(resourcesOf(parameters), options, query);
    return { meta, [endpoint.result]: items };
  });
}

/** A list may support neither sort nor filters. */
type AskedPage = Pick<ListQuery, 'offset' | 'limit'> & Partial<ListQuery>;
type ListEndpoint = Endpoint & { readonly result: string; readonly query: z.ZodType<AskedPage> };

async function listPage(
  resources: readonly StoredResource[],
  { rows, names = [], aliases = {} }: ListOptions,
  { offset, limit, ...rest }: AskedPage,
): Promise<{ readonly meta: PageMeta; readonly items: readonly StoredResource[] }> {
  const columns = new Map(names.map((name, index) => [name, listColumn(name, index)]));
  const sort = rest.sort === undefined ? undefined : parseSort(rest.sort, columns);
  const filters = rest.filters === undefined ? undefined : parseFilters(rest.filters, columns);
  const entries = resources.map((doc): Entry => {
    const shown = names.map((name) => [name, doc[lookUp(aliases, name) ?? name]]);
    return { ...Object.fromEntries(shown), id: doc.id, doc };
  });
  const matching = filters === undefined ? entries : await filterResources(rows, entries, filters, columns);
  const sorted = sort === undefined ? matching : matching.toSorted(by(sort));
  const meta: PageMeta = {
    offset,
    limit,
    total: sorted.length,
    sort: sort === undefined ? null : [[...sort]],
    filters: filters ?? {},
  };
  const items = sorted.slice(offset, offset + limit).map((entry) => publicView((entry as Entry).doc));
  return { meta, items };
}

/** A stored resource with the values it is sorted and filtered by. */
interface Entry extends StoredResource {
  readonly doc: StoredResource;
}

function parseSort(text: string, columns: ReadonlyMap<string, Column>): Sort {
  const parts = /^(.*):(asc|desc)$/.exec(text);
  const [, name, order] = parts ?? [];
  if (name === undefined || order === undefined) {
    throw invalidParameter(
      'sort',
      'format',
      `${JSON.stringify(text)} does not read <name>:asc or <name>:desc`,
    );
  }
  if (!columns.has(name))
    throw invalidParameter('sort', 'unknown_field', `${name} is none of ${namesOf(columns)}`);
  return [name, order as 'asc' | 'desc'];
}

function parseFilters(text: string, columns: ReadonlyMap<string, Column>): Oql | undefined {
  let tree: unknown;
  try {
    tree = decodeRison(text);
  } catch (error) {
    throw invalidParameter('filters', 'format', error instanceof Error ? error.message : String(error));
  }
  // The default of `filters`, as `meta` shows it, may be sent back.
  if (tree === null || stringifyJson(tree) === '{}') return undefined;
  return checkOql(tree, columns, 'filters');
}

function namesOf(columns: ReadonlyMap<string, Column>): string {
  return [...columns.keys()].join(', ') || 'the fields this list can be sorted by: it has none';
}

/** @param key of the resource, a time */
export function newestFirst(key: string): (a: StoredResource, b: StoredResource) => number {
  return (a, b) => Number(b[key] ?? 0) - Number(a[key] ?? 0);
}

function by([name, order]: Sort): (a: StoredResource, b: StoredResource) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) => sign * compare(a[name], b[name]);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a ?? ''), String(b ?? '')];
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Returns the column that represents a list field for sorting and filtering; every filter type that fits the field's
 * type is allowed.
 */
function listColumn(name: string, index: number): Column {
  const field = { name, type: lookUp(TYPES, name) ?? 'string', arity: MANY.has(name) ? 'many' : 'one' };
  return { id: `c${index}`, kind: 'json', field };
}
