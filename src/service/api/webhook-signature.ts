import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header that carries a webhook's signature (api-spec.md §6). */
export const WEBHOOK_SIGNATURE_HEADER = 'X-Service-Webhook-Signature';

/** The signature of a webhook: lowercase hexadecimal HMAC-SHA256 of the raw bytes of its body (api-spec.md §6). */
export function signWebhook(rawBody: string | Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(rawBody).digest('hex');
}

/**
 * Whether the sender of a webhook knows the secret. `rawBody` has the bytes as received, not JSON written again.
 * `header` is the value of `X-Service-Webhook-Signature`: exactly 64 lowercase hex digits. The time does not depend on
 * where the signature differs. An empty secret proves nothing: false.
 */
export function verifyWebhookSignature(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | undefined,
  secret: string,
): boolean {
  if (secret === '' || typeof header !== 'string' || !/^[0-9a-f]{64}$/.test(header)) return false;
  return timingSafeEqual(Buffer.from(signWebhook(rawBody, secret)), Buffer.from(header));
}
