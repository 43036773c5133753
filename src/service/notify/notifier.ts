import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { END_REASONS_WITHOUT_REPORT } from '../../client/resources/end-reasons.ts';
import { signWebhook, WEBHOOK_SIGNATURE_HEADER } from '../../client/webhook-signature.ts';
import { Semaphore } from '../../core/queue/semaphore.ts';
import { HostResolver } from '../../site/crawler/fetch/resolve-host.ts';
import { type Resources, resourceId, type StoredResource } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';

/** A receiver that takes longer has not answered; in milliseconds. */
const TIMEOUT = 5000;
/** Waits before a failed webhook is sent again, in milliseconds of real time. */
const WAITS = [250, 1000, 4000];
const AT_ONCE = 8;

/** Sends notifications of crawls that ended or did not start. Mails are recorded; webhooks are sent and recorded. */
export class Notifier implements AsyncDisposable {
  readonly #resources: Resources;
  readonly #resolver: HostResolver;
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  readonly #places = new Semaphore(AT_ONCE);
  readonly #sending = new Set<Promise<void>>();

  constructor(resources: Resources, { allowPrivate }: { readonly allowPrivate: boolean }) {
    this.#resources = resources;
    // Webhooks go to public addresses; to addresses of this machine and its networks only if allowed.
    this.#resolver = HostResolver.forPublic({ dns: new Map(), allowPrivate });
    this.#agent = new Agent({ connect: { lookup: this.#resolver.lookup } });
  }

  crawlEnded(crawl: StoredResource): void {
    const notifications = (crawl._notifications ?? {}) as Notifications;
    const project = this.#resources.get('projects', String(crawl.project_id));
    const mail = mailOf(crawl, notifications, String(project?.name));
    if (mail !== undefined) this.#resources.put('mails', WORKSPACE_ID, mail);
    for (const { url } of notifications.custom_webhooks ?? []) {
      const sending = this.#deliver(url, webhookBody(crawl), notifications.secrets?.[url]);
      this.#sending.add(sending);
      void sending.finally(() => this.#sending.delete(sending));
    }
  }

  /** Sends a test request, once. */
  async test(
    projectId: string,
    url: string,
    secret: string | undefined,
    now: number,
  ): Promise<WebhookAnswer> {
    const body: WebhookBody = {
      event: 'test',
      project_id: projectId,
      crawl_id: null,
      status: null,
      end_reason: null,
      timestamp: now,
    };
    return this.#send(url, body, secret, 1);
  }

  async #deliver(url: string, body: WebhookBody, secret: string | undefined): Promise<void> {
    for (const [index, wait] of [0, ...WAITS].entries()) {
      // Disposal ends the wait, as the next line checks.
      if (wait > 0) await sleep(wait, undefined, { signal: this.#closing.signal }).catch(() => {});
      if (this.#closing.signal.aborted) return;
      const answer = await this.#places.run(() => this.#send(url, body, secret, index + 1));
      if (isTaken(answer)) return;
    }
  }

  async #send(
    url: string,
    body: WebhookBody,
    secret: string | undefined,
    attempt: number,
  ): Promise<WebhookAnswer> {
    const text = JSON.stringify(body);
    const answer = await this.#post(url, text, secret);
    if (this.#closing.signal.aborted) return answer;
    this.#resources.put('webhook_calls', WORKSPACE_ID, {
      id: resourceId('webhook call', url, body.crawl_id ?? 'test', body.timestamp, attempt),
      url,
      attempt,
      body: text,
      is_signed: secret !== undefined,
      ...answer,
    });
    return answer;
  }

  /**
   * Sends one request. If there is a secret, it signs the sent bytes with HMAC-SHA256 (api-spec.md §6). Does not follow
   * redirects.
   */
  async #post(url: string, body: string, secret: string | undefined): Promise<WebhookAnswer> {
    try {
      this.#resolver.checkHost(new URL(url).hostname);
      const answer = await request(url, {
        dispatcher: this.#agent,
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          ...(secret === undefined ? {} : { [WEBHOOK_SIGNATURE_HEADER]: signWebhook(body, secret) }),
        },
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT)]),
      });
      await answer.body.dump();
      return { status_code: answer.statusCode, error: null };
    } catch (error) {
      const { name, code } = error as { name?: string; code?: string };
      return { status_code: null, error: name === 'TimeoutError' ? 'timeout' : (code ?? name ?? 'failed') };
    }
  }

  /** Undelivered calls are not sent again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#sending);
    await this.#agent.destroy();
  }
}

/** The recipients in a crawl's configuration (api-spec.md §6) at the start of the crawl. */
interface Notifications {
  readonly email_recipients?: readonly string[] | null;
  readonly custom_webhooks?: readonly { readonly url: string }[] | null;
  /** The webhooks' secrets by their address. */
  readonly secrets?: Readonly<Record<string, string>>;
}

const OWNER_EMAIL = 'owner@sandbox.example';

/** The body of a webhook request; the specification does not show it. `timestamp` is UTC milliseconds. */
interface WebhookBody {
  readonly event: 'crawl_ended' | 'crawl_not_started' | 'test';
  readonly project_id: string;
  readonly crawl_id: string | null;
  readonly status: string | null;
  readonly end_reason: string | null;
  readonly timestamp: number;
}

const NEVER_STARTED = END_REASONS_WITHOUT_REPORT.filter((reason) => reason !== 'user_cancelled');

function webhookBody(crawl: StoredResource): WebhookBody {
  const reason = String(crawl.end_reason);
  return {
    event: NEVER_STARTED.includes(reason) ? 'crawl_not_started' : 'crawl_ended',
    project_id: String(crawl.project_id),
    crawl_id: crawl.id,
    status: String(crawl.status),
    end_reason: reason,
    timestamp: Number(crawl.ended_at),
  };
}

/** Returns the recorded mail about a crawl's end; undefined if it has no recipient. */
function mailOf(
  crawl: StoredResource,
  notifications: Notifications,
  projectName: string,
): StoredResource | undefined {
  // Without a list, the owner receives the mail. An empty list means no mail (api-spec.md §6).
  const to = notifications.email_recipients ?? [OWNER_EMAIL];
  if (to.length === 0) return undefined;
  const { event } = webhookBody(crawl);
  const what = event === 'crawl_ended' ? 'ended' : 'did not start';
  return {
    id: `mail-${crawl.id}`,
    to,
    subject: `The crawl of ${projectName} ${what}: ${crawl.end_reason}`,
    text: `Crawl ${crawl.id}: ${crawl.fetched_urls} URLs fetched, to depth ${crawl.last_depth}.`,
    crawl_id: crawl.id,
    project_id: crawl.project_id,
    sent_at: crawl.ended_at,
  };
}

interface WebhookAnswer {
  /** Null if there is no answer. */
  readonly status_code: number | null;
  /** Why there was no answer. */
  readonly error: string | null;
}

export function isTaken({ status_code }: WebhookAnswer): boolean {
  return status_code !== null && status_code >= 200 && status_code < 300;
}
