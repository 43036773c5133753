import { once } from 'node:events';
import { connect } from 'node:net';
import { request } from 'undici';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import { type RetryPolicy, retriable, retry } from '../../../core/time/retry.ts';

const REACH_MS = 5000;
/** Number of attempts. A receiver that is unavailable for longer gets the alert with the next run. */
const TRIES: RetryPolicy = { attempts: 3, baseMs: 500, maxMs: 2000 };

export interface PostOptions {
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Posts a JSON document. Retries twice after a response other than 2xx, unless the response is final.
 *
 * @returns the receiver's response
 * @throws CrawlhouseError with the receiver's response
 */
export async function sendWebhook(
  url: string,
  body: string,
  options: PostOptions,
  signal: AbortSignal,
): Promise<string> {
  return await retry(() => post(url, body, options, signal), { policy: TRIES, signal });
}

async function post(
  url: string,
  body: string,
  { timeoutMs, headers }: PostOptions,
  signal: AbortSignal,
): Promise<string> {
  const late = new AbortController();
  using _clock = host().after(timeoutMs, () => late.abort());
  let status: number;
  try {
    const answer = await request(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.any([signal, late.signal]),
      ...(host().http ? { dispatcher: host().http } : {}),
    });
    await answer.body.dump();
    status = answer.statusCode;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (late.signal.aborted) throw retriable('connection', `no answer within ${timeoutMs / 1000} s`, cause);
    throw retriable('connection', cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (status >= 200 && status < 300) return `answered ${status}`;
  if (status >= 500 || status === 429) throw retriable('connection', `the receiver answered ${status}`);
  throw new CrawlhouseError('bad_settings', `the receiver answered ${status}`);
}

/**
 * Connects to the receiver without sending anything.
 *
 * @throws CrawlhouseError `connection`
 */
export async function reachWebhook(url: string, signal: AbortSignal): Promise<void> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const either = AbortSignal.any([signal, AbortSignal.timeout(REACH_MS)]);
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  try {
    await once(socket, 'connect', { signal: either });
  } catch (cause) {
    signal.throwIfAborted();
    const why = either.aborted ? `no answer within ${REACH_MS / 1000} s` : (cause as Error).message;
    throw new CrawlhouseError('connection', why, {
      cause,
      hint: 'check the address under alerts in crawlhouse.yaml; crawlhouse alerts test sends a test alert',
    });
  } finally {
    socket.destroy();
  }
}
