import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, FormData } from 'undici';
import type { z } from 'zod';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { host } from '../../core/host/host.ts';
import { type Logger, silentLogger } from '../../core/logs/logger.ts';
import {
  atLeastAtRate,
  DEFAULT_LIMITS,
  type Limits,
  overLimit,
  readText,
} from '../../core/net/download-limits.ts';
import { Semaphore } from '../../core/queue/semaphore.ts';
import { bytesText } from '../../core/text/amounts.ts';
import { jsonOf, parseJson, parseJsonAsWritten, stringifyJson } from '../../core/text/json.ts';
import { DEFAULT_RETRY, type RetryPolicy, retriable, retry } from '../../core/time/retry.ts';
import { RateLimit, type SlotSource } from './rate-limit.ts';
import { retryAfterMs } from './retry-after.ts';
import { asErrorObject, ServiceErrorBody, serviceError } from './service-error.ts';
import { fixedToken, type TokenSource } from './token-source.ts';

const PREFIX = '/api/v2';

export interface TransportOptions {
  /** Address of the service, without `/api/v2`. */
  readonly baseUrl: string;
  /** A token, or a source of tokens; `OAuthTokenSource` refreshes its own. */
  readonly accessToken: string | TokenSource;
  readonly requestsPerSecond?: number | undefined;
  /** Shares the rate with other processes. */
  readonly slots?: SlotSource | undefined;
  readonly retry?: RetryPolicy;
  /** Milliseconds: to connect, until the headers, between two pieces of a body. */
  readonly timeouts?: { readonly connect: number; readonly headers: number; readonly idleBody: number };
  /** The maximum size of a JSON response, in bytes, and the minimum rate of its bytes. */
  readonly limits?: Pick<Limits, 'answer' | 'rate'>;
  readonly logger?: Logger;
}

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v2`, with its query. */
  readonly path: string;
  /** A form, or a value to send as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request may be sent again after a failure: reads may, creations may not (spec-notes.md 16). */
  readonly repeatable: boolean;
  /** Whether numbers of the response keep their spelling. */
  readonly asWritten?: boolean;
}

/** A response with a streamed body. The caller reads the body to its end or destroys it. */
export interface StreamedResponse {
  readonly body: Readable;
  readonly contentEncoding: string | undefined;
  readonly contentType: string | undefined;
}

const DEFAULT_TIMEOUTS = { connect: 10_000, headers: 120_000, idleBody: 60_000 };
const ONCE: RetryPolicy = { ...DEFAULT_RETRY, attempts: 1 };
/** Success statuses: a response with a body must have 200, one that only confirms may have another (api-spec.md §4). */
const OK: readonly number[] = [200];
const DONE: readonly number[] = [200, 204];
/** Responses above this size are read one at a time, so that their memory use does not add up. */
const LARGE_ANSWER = 8e6;
/** An error object is short: no more than this of a failed response is read. */
const ERROR_BODY_LIMIT = 64 * 1024;

/** HTTP to the service: address, token, rate, timeouts, retries, errors. */
export class Transport implements AsyncDisposable {
  readonly #options: TransportOptions;
  readonly #address: string;
  readonly #tokens: TokenSource;
  readonly #agent: Dispatcher;
  readonly #rate: RateLimit;
  readonly #logger: Logger;
  readonly #largeAnswers = new Semaphore(1);
  #isClosed = false;
  /** Minimum milliseconds by which this clock is ahead of the service's. A request is sent before it is answered. */
  clockAhead: number | undefined;

  constructor(options: TransportOptions) {
    const timeouts = options.timeouts ?? DEFAULT_TIMEOUTS;
    const { accessToken } = options;
    this.#options = options;
    this.#address = serviceAddress(options.baseUrl);
    this.#tokens = typeof accessToken === 'string' ? fixedToken(accessToken) : accessToken;
    this.#logger = options.logger ?? silentLogger;
    this.#rate = new RateLimit(options.requestsPerSecond, options.slots);
    this.#agent =
      host().http ??
      new Agent({
        connect: { timeout: timeouts.connect },
        headersTimeout: timeouts.headers,
        bodyTimeout: timeouts.idleBody,
      });
  }

  /** See `TokenSource.keepWritten`. */
  async keepTokens(): Promise<CrawlhouseError | null> {
    return (await this.#tokens.keepWritten?.()) ?? null;
  }

  /** Sends a request and reads its JSON response; repeatable requests are retried when that may help. */
  json<T extends z.ZodType>(request: ServiceRequest, schema: T, signal?: AbortSignal): Promise<z.output<T>> {
    return this.#repeat(request, signal, async () => {
      const response = await this.#send(request, signal, OK);
      return this.#read(response, request, (text) => parseBody(text, schema, request));
    });
  }

  /** Sends a request whose response has no content. */
  nothing(request: ServiceRequest, signal?: AbortSignal): Promise<void> {
    return this.#repeat(request, signal, async (tries) => {
      try {
        const response = await this.#send(request, signal, DONE);
        await this.#read(response, request, (text) => refuseErrorObject(text, response.statusCode, request));
      } catch (error) {
        // The previous attempt may have deleted it, with only its response lost.
        const isGone = error instanceof CrawlhouseError && error.code === 'not_found';
        if (!(isGone && tries > 1 && request.method === 'DELETE')) throw error;
      }
    });
  }

  /** Returns the result of `parse` for a response, which is read into memory. */
  async #read<T>(
    response: Dispatcher.ResponseData,
    request: ServiceRequest,
    parse: (text: string) => T,
  ): Promise<T> {
    const where = `${request.method} ${request.path}`;
    const limits = this.#options.limits ?? DEFAULT_LIMITS;
    const body = atLeastAtRate<Buffer>(response.body, where, limits);
    const pieces: Buffer[] = [];
    let size = 0;
    /** Reads until there are more than `most` bytes. Returns whether the body ended before that. */
    const endsWithin = async (most: number): Promise<boolean> => {
      while (size <= most) {
        const next = await body.next();
        if (next.done) return true;
        size += next.value.length;
        pieces.push(next.value);
      }
      return false;
    };
    const parseWhole = async (): Promise<T> => {
      if (!(await endsWithin(limits.answer)))
        throw overLimit(`${where}: the answer is larger than ${bytesText(limits.answer)}`, 'answer');
      return parse(Buffer.concat(pieces.splice(0)).toString('utf8'));
    };
    try {
      const isLarge = !(await endsWithin(LARGE_ANSWER));
      return await (isLarge ? this.#largeAnswers.run(parseWhole) : parseWhole());
    } catch (error) {
      if (error instanceof CrawlhouseError) throw error;
      throw retriable('cut_short', `${where}: ${reason(error)}`, error);
    } finally {
      // An error keeps the functions on its stack alive, and so their data.
      pieces.length = 0;
      await body.return(undefined);
    }
  }

  async #repeat<T>(
    request: ServiceRequest,
    signal: AbortSignal | undefined,
    attempt: (tries: number) => Promise<T>,
  ): Promise<T> {
    const policy = request.repeatable ? (this.#options.retry ?? DEFAULT_RETRY) : ONCE;
    return retry(attempt, {
      policy,
      signal,
      onRetry: (error, failures, delayMs) =>
        this.#logger.warn('request failed, trying again', {
          error: error.message,
          failures,
          delay_ms: delayMs,
        }),
    }).catch(asOurs);
  }

  /** Sends a request once and returns the response body as a stream. */
  async stream(request: ServiceRequest, signal?: AbortSignal): Promise<StreamedResponse> {
    const response = await this.#send(request, signal, OK).catch(asOurs);
    return {
      body: response.body,
      contentEncoding: header(response, 'content-encoding'),
      contentType: header(response, 'content-type'),
    };
  }

  /**
   * After a 401 response, requests another token and sends the request again, once. The service did nothing, so this is
   * safe for any request.
   */
  async #send(
    request: ServiceRequest,
    signal: AbortSignal | undefined,
    expected: readonly number[],
  ): Promise<Dispatcher.ResponseData> {
    const token = await this.#tokens.token(signal);
    let response = await this.#exchange(request, token, signal);
    if (response.statusCode === 401) {
      const other = await this.#tokens.renew(token, signal);
      if (other !== undefined) {
        await readErrorBody(response);
        response = await this.#exchange(request, other, signal);
      }
    }
    if (expected.includes(response.statusCode)) return response;
    throw serviceError(
      request,
      response.statusCode,
      await readErrorBody(response),
      retryAfterMs(response.headers['retry-after']),
    );
  }

  async #exchange(
    request: ServiceRequest,
    token: string,
    signal: AbortSignal | undefined,
  ): Promise<Dispatcher.ResponseData> {
    await this.#rate.take(signal);
    const url = new URL(`${this.#address}/api/v2${request.path}`);
    this.#logger.debug('request', { method: request.method, path: request.path });
    const sentAt = host().now();
    try {
      const response = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'user-agent': 'crawlhouse',
          // A form sets its own content type, with its boundary.
          ...(request.body === undefined || request.body instanceof FormData
            ? {}
            : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        body: bodyOf(request.body),
        ...(signal ? { signal } : {}),
      });
      // A body that is destroyed before it is read emits an error event. Without a listener, that ends the process.
      response.body.on('error', () => {});
      // The header has whole seconds; a cache's date is older than the response.
      const ahead = sentAt - Date.parse(header(response, 'date') ?? '') - 1000;
      if (!Number.isNaN(ahead)) this.clockAhead = Math.min(ahead, this.clockAhead ?? ahead);
      return response;
    } catch (error) {
      signal?.throwIfAborted();
      // The caller no longer waits for the response, and a retry cannot help.
      if (this.#isClosed) throw new CrawlhouseError('interrupted', 'the client is closed', { cause: error });
      throw new CrawlhouseError('connection', `${request.method} ${request.path}: ${reason(error)}`, {
        cause: error,
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#agent.destroy();
    await this.#rate[Symbol.asyncDispose]();
  }
}

/** Also converts an abort by the caller's signal during a wait to a CrawlhouseError. */
function asOurs(error: unknown): never {
  throw toCrawlhouseError(error);
}

/** Returns the text of a network error, which is never empty. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const code = (error as { code?: string }).code;
  return (error.message || code || error.name) + inner;
}

function bodyOf(body: unknown): string | FormData | null {
  if (body === undefined) return null;
  return body instanceof FormData ? body : stringifyJson(body);
}

function header(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function parseBody<T extends z.ZodType>(body: string, schema: T, request: ServiceRequest): z.output<T> {
  let value: unknown;
  try {
    value = request.asWritten ? parseJsonAsWritten(body) : parseJson(body);
  } catch (error) {
    if (body.trimStart().startsWith('<')) throw notTheService(request, body, error);
    throw retriable('cut_short', `${request.method} ${request.path} answered with broken JSON`, error);
  }
  const said = asErrorObject(value);
  if (said) throw serviceError(request, 200, said, undefined);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new CrawlhouseError(
    'contract_broken',
    `${request.method} ${request.path} answered outside its contract: ${issue?.path.join('.')}: ${issue?.message}`,
    { cause: result.error },
  );
}

/** Returns the error for an HTML page, which comes from a temporarily broken proxy or from another server. */
function notTheService({ method, path }: ServiceRequest, body: string, cause: unknown): CrawlhouseError {
  const start = body.trim().slice(0, 60);
  return new CrawlhouseError('service_unavailable', `${method} ${path} answered with a page: ${start}`, {
    cause,
    hint: 'check base_url and the proxy, if any: the service responds with JSON, not HTML',
  });
}

/** Refuses an error object. Otherwise, a response that only confirms has no body, or an irrelevant one. */
function refuseErrorObject(text: string, status: number, request: ServiceRequest): void {
  const said = asErrorObject(jsonOf(text));
  if (said) throw serviceError(request, status, said, undefined);
}

async function readErrorBody(response: Dispatcher.ResponseData): Promise<ServiceErrorBody | undefined> {
  try {
    const body = atLeastAtRate<Buffer>(response.body, 'error', DEFAULT_LIMITS);
    return ServiceErrorBody.parse(parseJson((await readText(body, ERROR_BODY_LIMIT)) ?? ''));
  } catch {
    // Without an error object, the status determines the error.
    return undefined;
  }
}

/**
 * Returns the address of a service without a trailing slash, so that paths can be appended.
 *
 * @throws CrawlhouseError `bad_settings` for an invalid address, with which every request would fail
 */
export function serviceAddress(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const refuse = (what: string) =>
    new CrawlhouseError('bad_settings', `the address of the service ${what}: ${JSON.stringify(baseUrl)}`, {
      hint: `write it as https://service.example, without ${PREFIX}`,
    });
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refuse('must begin with http:// or https://');
  if (url.search !== '' || url.hash !== '') throw refuse('has no query and no fragment');
  const address = baseUrl.replace(/\/+$/, '');
  if (address.endsWith(PREFIX)) throw refuse(`comes without ${PREFIX}`);
  return address;
}
