/** Statuses that redirect, as in browsers (https://fetch.spec.whatwg.org/#redirect-status). Others do not. */
const LEADING: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(statusCode: number): boolean {
  return statusCode >= 300 && statusCode < 400;
}

/** Returns whether browsers follow the location of a response with this status. */
export function leadsOn(statusCode: number | null): boolean {
  return statusCode !== null && LEADING.has(statusCode);
}

/** Returns whether browsers cache the redirect. A returning visitor is redirected immediately, so it is not a door. */
export function isPermanent(statusCode: number | null): boolean {
  return statusCode === 301 || statusCode === 308;
}
