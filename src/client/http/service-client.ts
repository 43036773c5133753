import type { FormData } from 'undici';
import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { parseJson, stringifyJson } from '../../core/text/json.ts';
import { type Endpoint, fillPath, type PathParameter } from '../endpoint.ts';
import { ENDPOINTS, type OperationId } from '../endpoints.ts';
import type { Oql } from '../oql/oql.ts';
import { OqlError, parseOql } from '../oql/parse-oql.ts';
import type { AggregateBody, AggregateResponse } from '../resources/aggregates.ts';
import { type DataSource, sourceEndpoints } from '../resources/data-source.ts';
import type { FieldRecord } from '../resources/fields.ts';
import type { ExportFileType, SearchBody, SearchResponse } from '../resources/search.ts';
import { PageMeta, type PageQuery } from './pagination.ts';
import { type BrokenItem, eachItem, type ListPage, type WholeList, wholeList } from './read-list.ts';
import { encodeRison } from './rison.ts';
import { type ServiceRequest, type StreamedResponse, Transport, type TransportOptions } from './transport.ts';

type Output<E> = E extends { readonly response: infer R extends z.ZodType } ? z.output<R> : undefined;

/** The result of an operation: the wrapped resource, or the whole response. */
export type ResultOf<E> = E extends { readonly result: infer K extends keyof Output<E> }
  ? Output<E>[K]
  : Output<E>;

/** A request of an operation: the parameters of its path by name, its query and its body. */
export type RequestOf<E extends Endpoint> = Readonly<Record<PathParameter<E['path']>, string>> & {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
} & (E extends { readonly body: infer B extends z.ZodType }
    ? E extends { readonly sends: 'multipart' }
      ? { readonly body: FormData }
      : undefined extends z.input<B>
        ? { readonly body?: z.input<B> }
        : { readonly body: z.input<B> }
    : unknown);

type Endpoints = typeof ENDPOINTS;

/** The operations that respond with pages of a list. */
export type ListId = {
  [Id in OperationId]: Output<Endpoints[Id]> extends { readonly meta: PageMeta } ? Id : never;
}[OperationId];

export type ItemOf<Id extends ListId> = (ResultOf<Endpoints[Id]> extends readonly (infer T)[] ? T : never) & {
  readonly id: string;
};

/** A request of a list: its parent, order and filters. */
export type ListRequest<Id extends ListId> = Readonly<
  Record<PathParameter<Endpoints[Id]['path']>, string>
> & { readonly query?: PageQuery };

/** The request of a streamed export: all rows, or those that match `oql`. */
export type ExportRequest = Omit<SearchBody, 'limit' | 'offset'>;

export interface ExportForm {
  readonly fileType: ExportFileType;
  /** Whether the response may be compressed. */
  readonly gzip: boolean;
}

/** Items per page: few requests, small responses. The service documents no maximum (api-spec.md §8). */
const PAGE_SIZE = 100;

/** A request without the types of `RequestOf`, which are checked at the call. */
interface LooseRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether numbers of the response keep their spelling, as raw JSON if JavaScript's differs. */
  readonly asWritten?: boolean | undefined;
}

/**
 * A typed client of the whole service: its operations by name (`endpoints.ts`), its rows by source. A request that is
 * not repeatable is sent only once.
 *
 * @throws CrawlhouseError of the service's error, or of the connection (api-spec.md §7)
 */
export class ServiceClient implements AsyncDisposable {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /**
   * Writes tokens that could not be written before. Returns the error of another failure, after which a later process
   * could not sign in.
   */
  keepTokens(): Promise<CrawlhouseError | null> {
    return this.#transport.keepTokens();
  }

  /**
   * The minimum milliseconds by which this machine's clock is ahead of the service's, according to its responses; 0 if
   * it is not ahead.
   */
  get clockAhead(): number {
    return Math.max(0, this.#transport.clockAhead ?? 0);
  }

  /** Calls an operation that responds with JSON or with nothing. */
  call<Id extends OperationId>(
    operation: Id,
    request: RequestOf<Endpoints[Id]>,
    signal?: AbortSignal,
  ): Promise<ResultOf<Endpoints[Id]>>;
  call(
    operation: OperationId,
    { query, body, ...parameters }: Pick<LooseRequest, 'query' | 'body'>,
    signal?: AbortSignal,
  ): Promise<unknown> {
    return this.#call(ENDPOINTS[operation], { parameters, query, body }, signal);
  }

  /**
   * Yields the items of a list, from `query.offset` on; at the end, their number has been checked against the service's
   * total.
   */
  list<Id extends ListId>(
    operation: Id,
    request: ListRequest<Id>,
    signal?: AbortSignal,
  ): AsyncGenerator<ItemOf<Id>> {
    return eachItem(
      describeList(operation, request),
      this.pages(operation, request, signal),
      request.query?.offset,
    );
  }

  /** Returns every item of a list, each once, with the service's total. */
  all<Id extends ListId>(
    operation: Id,
    request: ListRequest<Id>,
    signal?: AbortSignal,
  ): Promise<WholeList<ItemOf<Id>>> {
    return wholeList(describeList(operation, request), () => this.pages(operation, request, signal));
  }

  /**
   * Yields the pages of a list from `query.offset` on, until one reaches the total or is empty; `read-list.ts` checks
   * them.
   */
  async *pages<Id extends ListId>(
    operation: Id,
    { query = {}, ...parameters }: ListRequest<Id>,
    signal?: AbortSignal,
  ): AsyncGenerator<ListPage<ItemOf<Id>>> {
    const endpoint: Endpoint = ENDPOINTS[operation];
    const limit = query.limit ?? PAGE_SIZE;
    // An empty page would look like the end of the list.
    if (!(limit >= 1))
      throw new CrawlhouseError(
        'invalid_request',
        `limit of ${endpoint.path} is the size of a page: at least 1`,
      );
    for (let offset = query.offset ?? 0; ; ) {
      const asked = { ...listQuery(endpoint, query), offset, limit };
      const request = requestOf(endpoint, { parameters, query: asked });
      const page = await this.#transport.json(request, itemwise<ItemOf<Id>>(endpoint, offset), signal);
      yield page;
      const length = page.items.length + page.broken.length;
      offset += length;
      if (length === 0 || offset >= page.total) return;
    }
  }

  /** `GET …/fields`; the specification has it only for crawls (spec-notes.md 11). */
  fields(source: DataSource, signal?: AbortSignal): Promise<FieldRecord[]> {
    const { fields, parameters } = sourceEndpoints(source);
    return this.#call(fields, { parameters }, signal) as Promise<FieldRecord[]>;
  }

  /** `POST` of a search (api-spec.md §4.1); with `asWritten`, the numbers of the rows keep their spelling. */
  search(
    source: DataSource,
    body: SearchBody,
    signal?: AbortSignal,
    asWritten = false,
  ): Promise<SearchResponse> {
    const { search, parameters } = sourceEndpoints(source);
    return this.#call(search, { parameters, body, asWritten }, signal) as Promise<SearchResponse>;
  }

  /** `POST …/aggs` (api-spec.md §4.1). */
  aggregate(source: DataSource, body: AggregateBody, signal?: AbortSignal): Promise<AggregateResponse> {
    const { aggregate, parameters } = sourceEndpoints(source);
    return this.#call(aggregate, { parameters, body }, signal) as Promise<AggregateResponse>;
  }

  /**
   * `POST …?export=true`: the rows as one streamed file. It is requested once, because a broken stream cannot be
   * resumed. `file_type` is in the query and in the body (wire-facts.md).
   */
  export(
    source: DataSource,
    body: ExportRequest,
    { fileType, gzip }: ExportForm,
    signal?: AbortSignal,
  ): Promise<StreamedResponse> {
    const { export: endpoint, parameters } = sourceEndpoints(source);
    const request = {
      parameters,
      query: { export: 'true', file_type: fileType },
      body: { ...body, file_type: fileType },
      headers: { accept: '*/*', 'accept-encoding': gzip ? 'gzip' : 'identity' },
    };
    return this.#transport.stream(requestOf(endpoint, request), signal);
  }

  async #call(endpoint: Endpoint, request: LooseRequest, signal: AbortSignal | undefined): Promise<unknown> {
    const { response, result } = endpoint;
    const sent = requestOf(endpoint, request);
    if (response === undefined) return this.#transport.nothing(sent, signal);
    const answer = await this.#transport.json(sent, response, signal);
    return result === undefined ? answer : (answer as Record<string, unknown>)[result];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }
}

function requestOf(
  endpoint: Endpoint,
  { parameters, query = {}, body, headers, asWritten }: LooseRequest,
): ServiceRequest {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  checkOutgoing(endpoint, { parameters, query: Object.fromEntries(given), body });
  const search = given.map(
    ([name, value]) => `${name}=${name === 'filters' ? value : encodeURIComponent(value)}`,
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

/** Returns the name of a list in messages, such as `GET /workspaces`. */
function describeList<Id extends ListId>(
  operation: Id,
  { query: _, ...parameters }: ListRequest<Id>,
): string {
  return `GET ${fillPath(ENDPOINTS[operation].path, parameters)}`;
}

function listQuery(endpoint: Endpoint, { sort, filters }: PageQuery): Record<string, string | undefined> {
  return {
    sort: sort && `${sort.name}:${sort.order}`,
    filters: filters && encodeRison(checkedOql(endpoint, filters, 'filters')),
  };
}

/**
 * Returns the schema of a list's page that checks each item against its contract separately. An item that does not fit
 * is excluded without affecting the others.
 *
 * @param offset of the page, for items without an id
 */
function itemwise<T>({ path, response, result = '' }: Endpoint, offset: number): z.ZodType<ListPage<T>> {
  const items = response instanceof z.ZodObject ? response.shape[result] : undefined;
  if (!(response instanceof z.ZodObject && items instanceof z.ZodArray))
    throw new Error(`${path} is not a list`);
  const envelope = response.extend({ [result]: z.array(z.unknown()) });
  return z.unknown().transform((answer, context) => {
    const read = envelope.safeParse(answer);
    if (!read.success) {
      for (const { path: at, message } of read.error.issues)
        context.issues.push({ code: 'custom', path: [...at], message, input: answer });
      return z.NEVER;
    }
    const { total } = PageMeta.parse(read.data.meta);
    const broken: BrokenItem[] = [];
    const good = (read.data[result] as unknown[]).flatMap((item, index): T[] => {
      const checked = (items.element as z.ZodType<T>).safeParse(item);
      if (checked.success) return [checked.data];
      broken.push(brokenItem(result, item, offset + index, checked.error.issues[0]));
      return [];
    });
    return { total, items: good, broken };
  });
}

function brokenItem(
  list: string,
  item: unknown,
  place: number,
  issue: z.core.$ZodIssue | undefined,
): BrokenItem {
  const { id, project_id } = (item ?? {}) as { id?: unknown; project_id?: unknown };
  const name = typeof id === 'string' && id !== '' ? id : null;
  const which = name ?? `item ${place + 1}`;
  const where = issue && issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ` : '';
  return {
    id: which,
    projectId: typeof project_id === 'string' ? project_id : null,
    error: new CrawlhouseError(
      'contract_broken',
      `${list}: ${which} is outside its contract: ${where}${issue?.message ?? 'invalid'}`,
      {
        hint: 'crawlhouse leaves out the record and loads everything else; report the record to the service',
      },
    ),
  };
}

interface Outgoing {
  readonly parameters: Readonly<Record<string, string>>;
  /** As written in the address. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Members of a body that contain an OQL tree, which `parseOql` checks instead of the schemas. */
const TREES = ['oql', 'post_aggs_oql'];

/**
 * Validates a request against the definition of its endpoint before it is sent.
 *
 * @throws CrawlhouseError `invalid_request` that names the parameter; nothing was sent
 */
function checkOutgoing(endpoint: Endpoint, { parameters, query, body }: Outgoing): void {
  const refuse = (place: string, problem: string): never => {
    throw refused(endpoint, place, problem);
  };
  for (const [name, allowed] of Object.entries(endpoint.values ?? {})) {
    const value = parameters[name];
    if (value !== undefined && !allowed.includes(value)) refuse(name, `must be one of ${allowed.join(', ')}`);
  }
  const asked = endpoint.query?.safeParse(query);
  const wrong = asked?.error?.issues[0];
  if (wrong) refuse(wrong.path.join('.') || 'query', wrong.message);
  if (body === undefined || endpoint.body === undefined || endpoint.sends === 'multipart') return;
  // As the service reads it: without values that JSON omits, and with NaN as null.
  const wire = parseJson(stringifyJson(body));
  const issue = endpoint.body.safeParse(wire).error?.issues[0];
  if (issue) refuse(issue.path.join('.') || 'body', issue.message);
  checkTrees(endpoint, wire, '');
}

/** Checks only an OQL tree, such as the filters of a list. */
export function checkedOql(endpoint: Endpoint, value: unknown, root: string): Oql {
  try {
    return parseOql(value, { root });
  } catch (error) {
    throw error instanceof OqlError ? refused(endpoint, error.path, error.detail) : error;
  }
}

function checkTrees(endpoint: Endpoint, value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const place = path ? `${path}.${key}` : key;
    if (!TREES.includes(key)) checkTrees(endpoint, member, place);
    else if (member !== null) checkedOql(endpoint, member, place);
  }
}

function refused({ method, path }: Endpoint, place: string, problem: string): CrawlhouseError {
  return new CrawlhouseError('invalid_request', `${method} ${path}: ${place}: ${problem}`, {
    hint: 'nothing was sent: the contract does not allow this request',
  });
}
