import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyWebhookSignature, WEBHOOK_SIGNATURE_HEADER } from '../../../client/webhook-signature.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { type Listener, listenHttp, pathOf, readBody } from '../../../core/net/listen-http.ts';
import type { Scheduler } from './scheduler.ts';

/** Within this time, an equal body is the same webhook, sent again after a lost response or replayed. */
const SAME_BODY_MS = 10 * 60_000;

const MOST = 1000;

type Watched = Pick<Scheduler, 'running' | 'waiting' | 'broken' | 'outcomes' | 'nudge' | 'nextFirings'>;

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** The maximum size of a webhook. */
const MOST_BYTES = 1_000_000;

export interface ListenOptions {
  readonly webhookSecret: string | undefined;
  readonly metrics: () => Promise<string>;
  readonly logger: Logger;
  /** UTC milliseconds. */
  readonly now?: () => number;
}

/**
 * Serves `/healthz`, `/readyz`, `/metrics` and signed webhooks. `address` is `HOST:PORT`; without a secret, no webhook
 * is accepted.
 *
 * @throws CrawlhouseError `bad_settings` if it cannot listen on the address
 */
export async function listen(
  address: string,
  scheduler: Watched,
  options: ListenOptions,
  signal: AbortSignal,
): Promise<Listener> {
  const recent = new RecentBodies(options.now ?? Date.now);
  return listenHttp(
    address,
    async (request, response) => send(response, await answer(request, scheduler, options, recent, signal)),
    {
      code: 'bad_settings',
      way: (free) => `CRAWLHOUSE_SCHEDULE_LISTEN=${free} crawlhouse schedule`,
      door: 'schedule_listen',
      logger: options.logger,
    },
  );
}

/** Text for metrics; everything else is JSON. */
type WebhookAnswer = readonly [status: number, body: unknown];

async function answer(
  request: IncomingMessage,
  scheduler: Watched,
  { webhookSecret: secret, metrics }: ListenOptions,
  recent: RecentBodies,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const path = pathOf(request);
  if (request.method === 'GET' && path === '/healthz') return [200, { status: 'ok' }];
  if (request.method === 'GET' && path === '/readyz') return readiness(scheduler, signal);
  if (request.method === 'GET' && path === '/metrics') return [200, await metrics()];
  if (request.method !== 'POST' || path !== '/webhook' || secret === undefined) {
    return [404, { error: 'not found' }];
  }
  const body = await readBody(request, MOST_BYTES);
  if (body === null) return [413, { error: 'too large' }];
  if (!verifyWebhookSignature(body, request.headers[WEBHOOK_SIGNATURE_HEADER.toLowerCase()], secret)) {
    return [401, { error: 'the signature does not match' }];
  }
  if (signal.aborted) return [503, { error: 'stopping' }];
  // The signature covers only the body, so a copied webhook stays valid.
  if (!recent.isNew(body)) return [202, { status: 'known' }];
  scheduler.nudge();
  return [202, { status: 'a run is due' }];
}

function readiness(scheduler: Watched, signal: AbortSignal): WebhookAnswer {
  const { running, waiting, broken, outcomes } = scheduler;
  const schedules = scheduler.nextFirings().map(({ name, next_at }) => {
    return { name, next_at, last_exit_code: outcomes.get(name)?.exitCode ?? null };
  });
  const body = { running, waiting, schedules_error: broken, schedules };
  return signal.aborted ? [503, { status: 'stopping', ...body }] : [200, { status: 'ready', ...body }];
}

function send(response: ServerResponse, [status, body]: WebhookAnswer): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? METRICS_TYPE : 'application/json' });
  response.end(isText ? body : `${JSON.stringify(body)}\n`);
}

/** Remembers the webhooks of the last minutes by a digest of their bodies. */
export class RecentBodies {
  /** When each digest was first seen, oldest first. */
  readonly #seen = new Map<string, number>();
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns whether this body is new within that time, and remembers it. */
  isNew(body: Uint8Array): boolean {
    const now = this.#now();
    for (const [digest, at] of this.#seen) {
      if (now - at < SAME_BODY_MS && this.#seen.size <= MOST) break;
      this.#seen.delete(digest);
    }
    const digest = hash('sha256', body, 'base64');
    if (this.#seen.has(digest)) return false;
    this.#seen.set(digest, now);
    return true;
  }
}
