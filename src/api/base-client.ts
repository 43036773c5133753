import type { z } from 'zod';
import { CrawlhouseError } from '../core/errors.ts';
import { type Endpoint, fillPath, type PathParameter } from './endpoint.ts';
import type { PageMeta, PageQuery } from './pagination.ts';
import { type ListPage, type WholeList, wholeList } from './read-list.ts';
import { encodeRison } from './rison.ts';
import { type ServiceRequest, type StreamedResponse, Transport, type TransportOptions } from './transport.ts';

/** What fills a request of an endpoint. */
export interface CallOptions<Path extends string> {
  readonly parameters: Readonly<Record<PathParameter<Path>, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps the numbers of the answer in the spelling they came in, as raw JSON where JavaScript's is another. */
  readonly asWritten?: boolean | undefined;
}

/** Items a page: few requests, small answers. The service states no greatest value (api-spec.md §8). */
const PAGE_SIZE = 100;

/** Calls endpoints by their definition: address, retries where they may be repeated, answers checked. */
export class BaseClient implements AsyncDisposable {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** Calls an endpoint that answers with JSON. */
  protected async call<Path extends string, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
    endpoint: Endpoint<Path, Q, B, R>,
    options: CallOptions<Path>,
    signal: AbortSignal | undefined,
  ): Promise<z.output<R>> {
    if (endpoint.response === undefined) throw new Error(`${endpoint.path} answers nothing`);
    return this.#transport.json(requestOf(endpoint, options), endpoint.response, signal);
  }

  /** Calls an endpoint that answers 204, without a body. */
  protected async tell<Path extends string>(
    endpoint: Endpoint<Path>,
    options: CallOptions<Path>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await this.#transport.nothing(requestOf(endpoint, options), signal);
  }

  /** Calls an endpoint that answers with a file, once: a stream that breaks can't be taken up again. */
  protected async stream<Path extends string>(
    endpoint: Endpoint<Path>,
    options: CallOptions<Path>,
    signal: AbortSignal | undefined,
  ): Promise<StreamedResponse> {
    return this.#transport.stream(requestOf(endpoint, options), signal);
  }

  /** The pages of a list from `query.offset` on, until one reaches the total or is empty. */
  async *pages<Path extends string, P extends { readonly meta: PageMeta }, T>(
    endpoint: Endpoint<Path, z.ZodType, z.ZodType, z.ZodType<P>>,
    itemsOf: (page: P) => readonly T[],
    parameters: Readonly<Record<PathParameter<Path>, string>>,
    query: PageQuery = {},
    signal: AbortSignal | undefined = undefined,
  ): AsyncGenerator<ListPage<T>> {
    const limit = query.limit ?? PAGE_SIZE;
    // A page of none would look like the end of the list.
    if (!(limit >= 1))
      throw new CrawlhouseError(
        'invalid_request',
        `limit of ${endpoint.path} is the size of a page: at least 1`,
      );
    for (let offset = query.offset ?? 0; ; ) {
      const page = await this.call(
        endpoint,
        { parameters, query: { ...listQuery(query), offset, limit } },
        signal,
      );
      const items = itemsOf(page);
      yield { total: page.meta.total, items };
      offset += items.length;
      if (items.length === 0 || offset >= page.meta.total) return;
    }
  }

  /** Every item of a list, each once, with the service's own total. */
  all<Path extends string, P extends { readonly meta: PageMeta }, T extends { readonly id: string }>(
    endpoint: Endpoint<Path, z.ZodType, z.ZodType, z.ZodType<P>>,
    itemsOf: (page: P) => readonly T[],
    parameters: Readonly<Record<PathParameter<Path>, string>>,
    signal?: AbortSignal,
  ): Promise<WholeList<T>> {
    return wholeList(endpoint.path, () => this.pages(endpoint, itemsOf, parameters, {}, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }
}

export async function* eachItem<T>(pages: AsyncIterable<ListPage<T>>): AsyncGenerator<T> {
  for await (const page of pages) yield* page.items;
}

function requestOf<Path extends string>(
  endpoint: Endpoint<Path>,
  { parameters, query = {}, body, headers, asWritten }: CallOptions<Path>,
): ServiceRequest {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = given.map(
    ([name, value]) => `${name}=${name === 'filters' ? value : encodeURIComponent(String(value))}`,
  );
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, parameters) + (search.length > 0 ? `?${search.join('&')}` : ''),
    repeatable: endpoint.repeatable,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
    ...(asWritten ? { asWritten } : {}),
  };
}

function listQuery({ sort, filters }: PageQuery): Record<string, string | undefined> {
  return {
    sort: sort && `${sort.name}:${sort.order}`,
    filters: filters && encodeRison(filters),
  };
}
