import { createHmac } from 'node:crypto';
import { request } from 'undici';

/** A receiver that takes longer to answer has not answered, in milliseconds. */
const TIMEOUT = 5000;

export interface WebhookAnswer {
  /** Null when none came. */
  readonly status_code: number | null;
  /** Why none came. */
  readonly error: string | null;
}

/** Sends one webhook request; with a secret it is signed: HMAC-SHA256 over the bytes sent (api-spec.md §6). */
export async function sendWebhook(
  url: string,
  body: string,
  secret: string | undefined,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const signature =
    secret === undefined ? undefined : createHmac('sha256', secret).update(body).digest('hex');
  try {
    const answer = await request(url, {
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

/** Whether a receiver accepted it. */
export function isTaken({ status_code }: WebhookAnswer): boolean {
  return status_code !== null && status_code >= 200 && status_code < 300;
}
