import type { Reach } from './reach.ts';

type Purpose = 'session' | 'sign-in';

/**
 * The name of a cookie for a request. Over TLS the prefix keeps other hosts of the domain from setting it. Elsewhere
 * the port keeps two consoles of one machine apart.
 */
function nameOf(purpose: Purpose, host: string | undefined, reach: Reach): string {
  return isSecure(host, reach) ? `__Host-crawlhouse-${purpose}` : `crawlhouse-${purpose}-${reach.port}`;
}

function isSecure(host: string | undefined, { secureHost }: Reach): boolean {
  return secureHost !== null && host?.toLowerCase() === secureHost;
}

interface Headers {
  readonly host?: string | undefined;
  readonly cookie?: string | undefined;
}

export function readCookie(purpose: Purpose, { host, cookie }: Headers, reach: Reach): string | null {
  const begin = `${nameOf(purpose, host, reach)}=`;
  const pair = (cookie ?? '').split(';').find((one) => one.trimStart().startsWith(begin));
  return pair === undefined ? null : pair.trim().slice(begin.length);
}

/** The header Set-Cookie; of no seconds, the cookie ends. `value` has no semicolon or space. */
export function setCookie(
  purpose: Purpose,
  { value, seconds }: { readonly value: string; readonly seconds: number },
  { host }: Headers,
  reach: Reach,
): string {
  const secure = isSecure(host, reach) ? '; Secure' : '';
  return `${nameOf(purpose, host, reach)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}
