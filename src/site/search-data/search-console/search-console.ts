import { Agent, request } from 'undici';
import { z } from 'zod';
import { retryAfterMs } from '../../../client/http/retry-after.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readText } from '../../../core/net/download-limits.ts';
import { ownUrl } from '../../../core/net/web-url.ts';
import { jsonOf, stringifyJson } from '../../../core/text/json.ts';
import { DEFAULT_RETRY, type RetryPolicy, retriable, retry } from '../../../core/time/retry.ts';
import { AnswerRow } from './api-table.ts';
import type { AccessHeaders } from './google-access.ts';

/** The greatest number of rows of one response. */
const PAGE_ROWS = 25_000;
/** Pages of one day: the service has at most 50,000 rows per day and search type. */
const MOST_PAGES = 40;
const MOST_BYTES = 64 * 1024 * 1024;
/** Names of the dimensions in Search Console. */
export type ApiDimension = 'date' | 'page' | 'query' | 'device';

const Answer = z.looseObject({ rows: z.array(AnswerRow).optional() });
const Sites = z.looseObject({
  siteEntry: z
    .array(z.looseObject({ siteUrl: z.string(), permissionLevel: z.string().optional() }))
    .optional(),
});
const ErrorAnswer = z.looseObject({
  error: z.looseObject({
    message: z.string().default(''),
    errors: z.array(z.looseObject({ reason: z.string().default('') })).default([]),
    status: z.string().default(''),
  }),
});

/**
 * The parts of the Search Console API that are used: the properties, and final figures of web search. Answers 429 and
 * 5xx are retried.
 *
 * @throws CrawlhouseError by its methods: `unauthorized`, `forbidden`, `quota`, `service_unavailable`, `connection`,
 *   `invalid_request`, `contract_broken`
 */
export class SearchConsole implements AsyncDisposable {
  readonly #endpoint: string;
  readonly #access: AccessHeaders;
  readonly #policy: RetryPolicy;
  readonly #agent = new Agent({ connect: { timeout: 10_000 }, headersTimeout: 120_000, bodyTimeout: 60_000 });

  constructor(endpoint: string, access: AccessHeaders, policy: RetryPolicy = DEFAULT_RETRY) {
    this.#endpoint = endpoint.replace(/\/+$/, '');
    this.#access = access;
    this.#policy = policy;
  }

  async properties(signal: AbortSignal): Promise<string[]> {
    const { siteEntry = [] } = await this.#ask(Sites, '/webmasters/v3/sites', null, signal);
    return siteEntry
      .filter(({ permissionLevel }) => permissionLevel !== 'siteUnverifiedUser')
      .map(({ siteUrl }) => siteUrl);
  }

  /** The rows by some dimensions, page by page; days are inclusive, `YYYY-MM-DD`, of Pacific time. */
  async *rows(
    { property, from, to }: { readonly property: string; readonly from: string; readonly to: string },
    dimensions: readonly ApiDimension[],
    signal: AbortSignal,
  ): AsyncGenerator<readonly AnswerRow[]> {
    const path = `/webmasters/v3/sites/${encodeURIComponent(property)}/searchAnalytics/query`;
    for (let page = 0; page < MOST_PAGES; page++) {
      const body = {
        startDate: from,
        endDate: to,
        dimensions,
        type: 'web',
        dataState: 'final',
        rowLimit: PAGE_ROWS,
        startRow: page * PAGE_ROWS,
      };
      const { rows = [] } = await this.#ask(Answer, path, body, signal);
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE_ROWS) return;
    }
    throw new CrawlhouseError('contract_broken', `POST ${path}: the pages of ${from} have no end`);
  }

  #ask<T>(schema: z.ZodType<T>, path: string, body: object | null, signal: AbortSignal): Promise<T> {
    return retry(() => this.#askOnce(schema, path, body, signal), { signal, policy: this.#policy });
  }

  async #askOnce<T>(
    schema: z.ZodType<T>,
    path: string,
    body: object | null,
    signal: AbortSignal,
  ): Promise<T> {
    const url = `${this.#endpoint}${path}`;
    const method = body === null ? 'GET' : 'POST';
    const access = await this.#access(url);
    let answer: Awaited<ReturnType<typeof request>>;
    let text: string | null;
    try {
      answer = await request(url, {
        method,
        signal,
        dispatcher: this.#agent,
        headers: {
          ...access,
          accept: 'application/json',
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body === null ? {} : { body: stringifyJson(body) }),
      });
      text = await readText(answer.body, MOST_BYTES);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CrawlhouseError) throw error;
      throw retriable('connection', `${method} ${url}: ${(error as Error).message}`, error);
    }
    if (text === null)
      throw new CrawlhouseError('contract_broken', `${method} ${path}: the answer is larger than 64 MiB`);
    const { statusCode, headers } = answer;
    if (statusCode !== 200)
      throw refusal(`${method} ${path}`, statusCode, text, retryAfterMs(headers['retry-after']));
    const parsed = schema.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    const [problem] = parsed.error.issues;
    throw new CrawlhouseError(
      'contract_broken',
      `${method} ${path}: ${problem?.path.join('.') || 'the answer'}: ${problem?.message}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

function refusal(
  request: string,
  status: number,
  text: string,
  retryAfter: number | undefined,
): CrawlhouseError {
  const said = ErrorAnswer.safeParse(jsonOf(text));
  const { message = '', errors = [], status: name = '' } = said.success ? said.data.error : {};
  const reasons = [...errors.map(({ reason }) => reason), name];
  const what = `${request} answered ${status}${message ? `: ${message}` : ''}`;
  if (
    status === 429 ||
    status >= 500 ||
    reasons.some((reason) => /rateLimitExceeded|userRateLimit/i.test(reason))
  )
    return new CrawlhouseError('service_unavailable', what, {
      ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
      hint: 'run the command again later; it requests only missing days',
    });
  if (reasons.some((reason) => /quota|dailyLimit|RESOURCE_EXHAUSTED/i.test(reason)))
    return new CrawlhouseError('quota', what, {
      hint: 'run the command again in 15 minutes, or tomorrow; it requests only missing days',
    });
  if (status === 401) return new CrawlhouseError('unauthorized', what);
  if (status === 403)
    return new CrawlhouseError('forbidden', what, {
      hint: 'add the account as a user of the property in Search Console, and enable the Search Console API in its project',
    });
  return new CrawlhouseError('invalid_request', what);
}

/**
 * Returns the property of Search Console that covers a website: the one of its own address, else the domain property of
 * its host or of a domain above it.
 *
 * @param wanted a named property, which must be among the properties
 * @throws CrawlhouseError `usage` with the available properties
 */
export function propertyOf(
  startUrl: string,
  properties: readonly string[],
  wanted: string | undefined,
): string {
  const { origin, hostname } = ownUrl(startUrl);
  const labels = hostname.split('.');
  const domains = labels.slice(0, -1).map((_, index) => `sc-domain:${labels.slice(index).join('.')}`);
  const candidates = wanted === undefined ? [`${origin}/`, ...domains] : [wanted];
  const found = candidates.find((candidate) => properties.includes(candidate));
  if (found !== undefined) return found;
  const known = properties.length === 0 ? 'none' : properties.join(', ');
  throw new CrawlhouseError(
    'usage',
    wanted === undefined
      ? `the account can read no Search Console property that covers ${origin}`
      : `the account cannot read a property ${wanted}`,
    {
      hint: `properties: ${known}; name one with --property, or add the account as a user of the right property`,
    },
  );
}
