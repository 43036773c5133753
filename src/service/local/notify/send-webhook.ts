import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { HostResolver } from '../../site/crawler/fetch/resolve-host.ts';

/** A receiver that takes longer to answer has not answered, in milliseconds. */
const TIMEOUT = 5000;

export interface WebhookAnswer {
  /** Null when none came. */
  readonly status_code: number | null;
  /** Why none came. */
  readonly error: string | null;
}

export interface WebhookRequest {
  readonly url: string;
  readonly body: string;
  readonly secret: string | undefined;
}

/** Sends webhooks to public addresses; to those of this machine and its networks only where that is allowed. */
export class WebhookSender implements AsyncDisposable {
  readonly #resolver: HostResolver;
  readonly #agent: Agent;

  constructor(allowPrivate: boolean) {
    this.#resolver = HostResolver.forPublic({ dns: new Map(), allowPrivate });
    this.#agent = new Agent({ connect: { lookup: this.#resolver.lookup } });
  }

  /**
   * Sends one request; with a secret it is signed: HMAC-SHA256 over the bytes sent (api-spec.md §6). A redirect is not
   * followed.
   */
  async send({ url, body, secret }: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer> {
    const signature =
      secret === undefined ? undefined : createHmac('sha256', secret).update(body).digest('hex');
    try {
      this.#resolver.checkHost(new URL(url).hostname);
      const answer = await request(url, {
        dispatcher: this.#agent,
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          ...(signature === undefined ? {} : { 'x-service-webhook-signature': signature }),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
      });
      await answer.body.dump();
      return { status_code: answer.statusCode, error: null };
    } catch (error) {
      const { name, code } = error as { name?: string; code?: string };
      return { status_code: null, error: name === 'TimeoutError' ? 'timeout' : (code ?? name ?? 'failed') };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Whether a receiver accepted it. */
export function isTaken({ status_code }: WebhookAnswer): boolean {
  return status_code !== null && status_code >= 200 && status_code < 300;
}
