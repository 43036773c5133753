/** Statuses that lead on, by browsers (https://fetch.spec.whatwg.org/#redirect-status). Others lead nowhere. */
const LEADING: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(statusCode: number): boolean {
  return statusCode >= 300 && statusCode < 400;
}

/** Whether a browser goes where an answer of this status leads. */
export function leadsOn(statusCode: number | null): boolean {
  return statusCode !== null && LEADING.has(statusCode);
}

/** One that a browser keeps: a visitor who comes again is led on at once, so it is no door. */
export function isPermanent(statusCode: number | null): boolean {
  return statusCode === 301 || statusCode === 308;
}
