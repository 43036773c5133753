import { request } from 'undici';
import { CrawlhouseError } from '../core/errors.ts';
import { type RetryPolicy, retriable, retry } from '../core/retry.ts';

/** A receiver that is away for longer gets it with the next run. */
const TRIES: RetryPolicy = { attempts: 3, baseMs: 500, maxMs: 2000 };

export interface PostOptions {
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Posts a JSON text. What is not taken with 2xx is tried again twice, unless the receiver will never take it.
 *
 * @throws CrawlhouseError that says how the receiver answered
 */
export async function sendWebhook(
  url: string,
  body: string,
  options: PostOptions,
  signal: AbortSignal,
): Promise<void> {
  await retry(() => post(url, body, options, signal), { policy: TRIES, signal });
}

async function post(
  url: string,
  body: string,
  { timeoutMs, headers }: PostOptions,
  signal: AbortSignal,
): Promise<void> {
  const late = AbortSignal.timeout(timeoutMs);
  let status: number;
  try {
    const answer = await request(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.any([signal, late]),
    });
    await answer.body.dump();
    status = answer.statusCode;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted) throw retriable('connection', `no answer within ${timeoutMs / 1000} s`, cause);
    throw retriable('connection', cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (status >= 200 && status < 300) return;
  if (status >= 500 || status === 429) throw retriable('connection', `the receiver answered ${status}`);
  throw new CrawlhouseError('bad_settings', `the receiver answered ${status}`);
}
