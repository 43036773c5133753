import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { resourceId } from '../resources/ids.ts';
import type { Document, Resources } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { mailOf, type Notifications, type WebhookBody, webhookBody } from './notification.ts';
import { isTaken, type WebhookAnswer, WebhookSender } from './send-webhook.ts';

/** Waits before a webhook that was not taken is sent again, in milliseconds of true time. */
const WAITS = [250, 1000, 4000];
const AT_ONCE = 8;

/** Sends notifications of crawls that ended or did not start. Mails are recorded; webhooks are sent and recorded. */
export class Notifier implements AsyncDisposable {
  readonly #resources: Resources;
  readonly #sender: WebhookSender;
  readonly #closing = new AbortController();
  readonly #places = new Semaphore(AT_ONCE);
  readonly #sending = new Set<Promise<void>>();

  constructor(resources: Resources, { allowPrivate }: { readonly allowPrivate: boolean }) {
    this.#resources = resources;
    this.#sender = new WebhookSender(allowPrivate);
  }

  crawlEnded(crawl: Document): void {
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
      // An end ends the wait, as the next line sees.
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
    const answer = await this.#sender.send({ url, body: text, secret }, this.#closing.signal);
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

  /** Undelivered calls are not sent again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#sending);
    await this.#sender[Symbol.asyncDispose]();
  }
}
