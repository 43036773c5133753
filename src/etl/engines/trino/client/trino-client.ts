import { addAbortListener } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { retryAfterMs } from '../../../../client/http/retry-after.ts';
import type { TokenSource } from '../../../../client/http/token-source.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { keepSecret } from '../../../../core/secrets/redact.ts';
import { parseJson } from '../../../../core/text/json.ts';
import { type RetryPolicy, retriable, retry } from '../../../../core/time/retry.ts';
import type { EngineValue } from '../../engine.ts';
import { literal, type SqlValue } from './literal.ts';
import { TrinoErrorBody, TrinoFailure, trinoError } from './trino-error.ts';
import { decoderOf, TypeSignature } from './typed-values.ts';

/**
 * Session properties of the writer's statements and of data tests. Views of views have many stages; Trino's default
 * limit is 150.
 */
export const MODEL_SESSION = { query_max_stage_count: '1500' };

/** Limits users' statements to 500 stages, because a larger one would block a shared cluster for others. */
export const QUERY_SESSION = { query_max_stage_count: '500' };

/** A response to a statement, or to a request for its next page. */
const TrinoAnswer = z.looseObject({
  id: z.string(),
  nextUri: z.string().optional(),
  columns: z
    .array(z.looseObject({ name: z.string(), type: z.string(), typeSignature: TypeSignature }))
    .optional(),
  data: z.unknown().optional(),
  error: TrinoErrorBody.optional(),
  updateCount: z.union([z.number(), z.bigint()]).optional(),
});

type TrinoAnswer = z.output<typeof TrinoAnswer>;

export interface TrinoOptions {
  /** Address of the coordinator. */
  readonly url: string;
  readonly user: string;
  /** A password (Basic), or a source of tokens (JWT, OAuth2). */
  readonly credentials?: { readonly password: string } | TokenSource | undefined;
  /** Certificates of a private authority (PEM). */
  readonly ca?: string | undefined;
  readonly catalog?: string;
  readonly retry?: RetryPolicy | undefined;
}

export interface StatementOptions {
  /** For each `?` of the statement. */
  readonly values?: readonly SqlValue[];
  readonly session?: Readonly<Record<string, string>>;
  /**
   * Names the statement in `system.runtime.queries`, so that a later writer finds statements that a lost one has left
   * running.
   */
  readonly source?: string;
}

interface TrinoColumn {
  readonly name: string;
  /** For example `timestamp(6) with time zone`. */
  readonly type: string;
}

/** Rows as they arrive. The first pages may have none. */
export interface TrinoPage {
  readonly columns: readonly TrinoColumn[];
  readonly rows: readonly (readonly EngineValue[])[];
  /** Rows that the statement has written; on the last page. */
  readonly updateCount: bigint | undefined;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The protocol requires another try after 50 to 100 ms. */
const RETRY: RetryPolicy = { attempts: 10, baseMs: 100, maxMs: 10_000 };
const BUSY: readonly number[] = [429, 502, 503, 504];
/** Connection errors before anything was sent. */
const UNSENT: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];
const CANCEL_MS = 10_000;
/** The longest that a server without a response may delay the closing of a client. */
const CLOSE_MS = 1000;
const SOURCE = 'crawlhouse';

/** A client of Trino's protocol (`/v1/statement`). It keeps no session state, so statements may run concurrently. */
export class TrinoClient implements AsyncDisposable {
  readonly #options: TrinoOptions;
  readonly #agent: Agent;
  readonly #cancels = new Set<Promise<void>>();

  constructor(options: TrinoOptions) {
    this.#options = options;
    this.#agent = new Agent({ connect: options.ca === undefined ? {} : { ca: options.ca } });
    if (options.credentials && 'password' in options.credentials) keepSecret(options.credentials.password);
  }

  /**
   * Runs a statement and yields its pages. Leaving the loop, or an abort, cancels it in Trino.
   *
   * @throws CrawlhouseError `bad_query`, `query_limit`, `engine_failed` with a TrinoFailure as cause; `engine_access`,
   *   `engine_unavailable`, `connection`, `contract_broken`
   */
  async *pages(sql: string, options: StatementOptions = {}, signal?: AbortSignal): AsyncGenerator<TrinoPage> {
    let answer = await this.#start(sql, options, signal);
    let columns: readonly TrinoColumn[] = [];
    let decoders: readonly ((value: unknown) => EngineValue)[] = [];
    let ended = false;
    try {
      for (;;) {
        ended = answer.error !== undefined || answer.nextUri === undefined;
        if (answer.error) throw trinoError(new TrinoFailure(answer.id, answer.error));
        if (answer.columns && columns.length === 0) {
          columns = answer.columns;
          decoders = answer.columns.map((column) => decoderOf(column.typeSignature));
        }
        const rows = ((answer.data ?? []) as unknown[][]).map((row) =>
          row.map((value, index) => decoders[index]?.(value) ?? null),
        );
        const { updateCount } = answer;
        yield { columns, rows, updateCount: updateCount === undefined ? undefined : BigInt(updateCount) };
        if (answer.nextUri === undefined) return;
        answer = await this.#send({ method: 'GET', url: this.#ownAddress(answer.nextUri) }, signal);
      }
    } finally {
      if (!ended) await this.#cancel(answer);
    }
  }

  /** Runs a statement. Returns the number of rows it wrote (0 for statements that write none). */
  async run(sql: string, options: StatementOptions = {}, signal?: AbortSignal): Promise<bigint> {
    let count = 0n;
    for await (const page of this.pages(sql, options, signal)) count = page.updateCount ?? count;
    return count;
  }

  async rows<T = Record<string, EngineValue>>(
    sql: string,
    options: StatementOptions = {},
    signal?: AbortSignal,
  ): Promise<T[]> {
    const found: T[] = [];
    for await (const { columns, rows } of this.pages(sql, options, signal))
      for (const row of rows)
        found.push(Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])) as T);
    return found;
  }

  async scalar(
    sql: string,
    options: StatementOptions = {},
    signal?: AbortSignal,
  ): Promise<EngineValue | undefined> {
    for await (const { rows } of this.pages(sql, options, signal)) if (rows[0]) return rows[0][0];
    return undefined;
  }

  /**
   * Sends the statement. An abort does not interrupt this request, because a statement that has begun cannot be
   * canceled without its response.
   */
  async #start(
    sql: string,
    options: StatementOptions,
    signal: AbortSignal | undefined,
  ): Promise<TrinoAnswer> {
    signal?.throwIfAborted();
    const { values = [], session = {}, source } = options;
    const { catalog } = this.#options;
    const bound =
      values.length === 0 ? sql : `EXECUTE IMMEDIATE ${literal(sql)} USING ${values.map(literal).join(', ')}`;
    const properties = Object.entries(session).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      'x-trino-source': source === undefined ? SOURCE : `${SOURCE}/${source}`,
      ...(catalog === undefined ? {} : { 'x-trino-catalog': catalog }),
      ...(properties.length === 0 ? {} : { 'x-trino-session': properties.join(',') }),
    };
    const url = new URL('/v1/statement', this.#options.url);
    const started = this.#send({ method: 'POST', url, body: bound, headers });
    if (!signal) return started;
    const { promise, reject } = Promise.withResolvers<never>();
    using _abandon = addAbortListener(signal, () => {
      this.#later(started.then((answer) => this.#cancel(answer)));
      reject(signal.reason);
    });
    return await Promise.race([started, promise]);
  }

  /** Cancels a statement. If that fails, Trino ends an abandoned one after five minutes. */
  async #cancel({ nextUri }: TrinoAnswer): Promise<void> {
    if (nextUri === undefined) return;
    try {
      const url = this.#ownAddress(nextUri);
      await this.#send({ method: 'DELETE', url }, AbortSignal.timeout(CANCEL_MS));
    } catch {
      // The end of the reading has its own error.
    }
  }

  /** Delays the closing of the client until this work is done, unless it takes long. */
  #later(work: Promise<void>): void {
    // The end of the reading has its own error.
    const quiet = work.catch(() => {}).finally(() => this.#cancels.delete(quiet));
    this.#cancels.add(quiet);
  }

  /** Returns an address on the client's own server, because credentials must not go to any other server. */
  #ownAddress(uri: string): URL {
    const url = new URL(uri);
    if (url.origin === new URL(this.#options.url).origin) return url;
    throw new CrawlhouseError('contract_broken', `Trino at ${this.#options.url} refers to ${url.origin}`, {
      hint: "behind a proxy, set http-server.process-forwarded=true in Trino's config.properties",
    });
  }

  /**
   * Sends a request until it is answered. If the connection broke, a statement may have begun, so the request is not
   * repeated.
   */
  async #send(call: Call, signal?: AbortSignal): Promise<TrinoAnswer> {
    let lost: CrawlhouseError | undefined;
    const policy = this.#options.retry ?? RETRY;
    const answer = await retry(
      async () => {
        try {
          return await this.#exchange(call, signal);
        } catch (cause) {
          signal?.throwIfAborted();
          if (cause instanceof CrawlhouseError) throw cause;
          const error = retriable(
            'connection',
            `Trino at ${this.#options.url} cannot be reached: ${(cause as Error).message}`,
            cause,
          );
          if (call.method !== 'POST' || UNSENT.includes((cause as { code?: unknown }).code)) throw error;
          lost = error;
          return undefined;
        }
      },
      { policy, signal },
    );
    if (answer) return answer;
    throw lost;
  }

  async #exchange(call: Call, signal: AbortSignal | undefined): Promise<TrinoAnswer> {
    const { credentials, user } = this.#options;
    if (!credentials || 'password' in credentials) {
      const basic = credentials && Buffer.from(`${user}:${credentials.password}`).toString('base64');
      return this.#read(await this.#request(call, basic && `Basic ${basic}`, signal), call);
    }
    const token = await credentials.token(signal);
    const response = await this.#request(call, `Bearer ${token}`, signal);
    const renewed = response.statusCode === 401 ? await credentials.renew(token, signal) : undefined;
    if (renewed === undefined) return this.#read(response, call);
    await response.body.dump();
    return this.#read(await this.#request(call, `Bearer ${renewed}`, signal), call);
  }

  async #request(
    { method, url, body, headers }: Call,
    authorization: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Dispatcher.ResponseData> {
    return request(url, {
      method,
      dispatcher: this.#agent,
      headers: {
        'x-trino-user': this.#options.user,
        'x-trino-time-zone': 'UTC',
        // Without it, times are cut to milliseconds.
        'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
        ...headers,
        ...(authorization === undefined ? {} : { authorization }),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
  }

  async #read(response: Dispatcher.ResponseData, { method }: Call): Promise<TrinoAnswer> {
    const { statusCode, headers } = response;
    const text = await response.body.text();
    if (statusCode === 204) return { id: '' };
    const { url } = this.#options;
    // Trino's answer for a statement it has forgotten, and never to a new one.
    if (method === 'POST' && isElsewhere(statusCode)) throw notTrino(url, response, text);
    if (statusCode !== 200) throw this.#refused(statusCode, text, retryAfterMs(headers['retry-after']));
    try {
      // Slower, so used only where a number may exceed JavaScript's precision.
      return TrinoAnswer.parse(/\d{16}/.test(text) ? parseJson(text) : JSON.parse(text));
    } catch (cause) {
      throw notTrino(url, response, text, cause);
    }
  }

  #refused(status: number, text: string, after: number | undefined): CrawlhouseError {
    const what = `Trino at ${this.#options.url} answers ${status}: ${text.trim().slice(0, 300)}`;
    if (BUSY.includes(status))
      return new CrawlhouseError('engine_unavailable', what, { retryAfterMs: after });
    if (status === 401 || status === 403) return new CrawlhouseError('engine_access', what);
    return new CrawlhouseError('engine_failed', what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Unreferenced, so that a command that has ended does not wait for it.
    await Promise.race([Promise.all(this.#cancels), sleep(CLOSE_MS, undefined, { ref: false })]);
    await this.#agent.destroy();
  }
}

/**
 * Returns whether this response cannot come from Trino: a redirect, an unknown path, or a disallowed method.
 */
function isElsewhere(status: number): boolean {
  return (status >= 300 && status < 400) || status === 404 || status === 405;
}

/**
 * Returns the error for a response that does not come from a coordinator. The error names what responded and what to
 * check.
 */
function notTrino(
  at: string,
  { statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  text: string,
  cause?: unknown,
): CrawlhouseError {
  const type = String(headers['content-type'] ?? 'no content type');
  const what =
    headers.location === undefined
      ? ` with ${type}, outside Trino's protocol: ${text.trim().slice(0, 60)}`
      : `, a redirect to ${headers.location}`;
  return new CrawlhouseError('contract_broken', `${at} answers ${statusCode}${what}`, {
    cause,
    hint: 'check warehouse.url: it must be the address of the coordinator, not of a page or a proxy',
  });
}
