import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header with a webhook's signature (api-spec.md §6). */
export const WEBHOOK_SIGNATURE_HEADER = 'X-Service-Webhook-Signature';

/**
 * Returns the signature of a webhook: the lowercase hexadecimal HMAC-SHA256 of the raw bytes of its body (api-spec.md
 * §6).
 */
export function signWebhook(rawBody: string | Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(rawBody).digest('hex');
}

/**
 * Returns whether the sender of a webhook knows the secret. `rawBody` contains the bytes as received, not re-serialized
 * JSON. `header` is the value of `X-Service-Webhook-Signature`: exactly 64 lowercase hex digits. The comparison takes
 * constant time. Returns false for an empty secret, which proves nothing.
 */
export function verifyWebhookSignature(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | undefined,
  secret: string,
): boolean {
  if (secret === '' || typeof header !== 'string' || !/^[0-9a-f]{64}$/.test(header)) return false;
  return timingSafeEqual(Buffer.from(signWebhook(rawBody, secret)), Buffer.from(header));
}
