import { createHash } from 'node:crypto';

/** An id of 24 hex digits, as the service's ids look; the same parts always give the same id. */
export function resourceId(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
}
