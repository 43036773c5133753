import ipaddr from 'ipaddr.js';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { ConsoleOidcSettings } from '../../../project/settings/console-settings.ts';

export interface SignInSettings {
  readonly console_oidc?: ConsoleOidcSettings | undefined;
  readonly console_url?: string | undefined;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Only this machine's users get to a loopback address; elsewhere people sign in by OIDC.
 *
 * @throws CrawlhouseError `bad_settings`
 */
export function requireSignIn({ console_oidc: oidc, console_url: url }: SignInSettings, host: string): void {
  if (oidc === undefined && !isLoopback(host)) {
    throw new CrawlhouseError('bad_settings', `the console does not listen on ${host} without OIDC`, {
      hint: 'set console_oidc and console_url (docs/console.md), or listen on 127.0.0.1',
    });
  }
  if (oidc !== undefined && url === undefined) {
    throw new CrawlhouseError('bad_settings', 'console_oidc needs the setting console_url', {
      hint: 'set console_url to the address of the console for people, such as https://console.example',
    });
  }
}

/** The addresses that one asker may have: a network of 64 bits of IPv6, else the address alone. */
export function addressClass(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? `${address.parts.slice(0, 4).join(':')}/64` : address.toString();
}

/** The names by which a console may be called. */
export interface Reach {
  /** Values of the header Host. */
  readonly hosts: ReadonlySet<string>;
  /** Values of the header Origin. */
  readonly origins: ReadonlySet<string>;
  /** The one host that is reached over TLS. */
  readonly secureHost: string | null;
  readonly port: number;
}

/** @param port where it listens */
export function reachOf(name: string, port: number, consoleUrl: string | undefined): Reach {
  const names = [name, 'localhost', '127.0.0.1', '[::1]'];
  const own = names.flatMap((one) => (port === 80 ? [one, `${one}:80`] : [`${one}:${port}`]));
  const origins = new Set(names.map((one) => new URL(`http://${one}:${port}`).origin));
  if (consoleUrl === undefined) return { hosts: new Set(own), origins, secureHost: null, port };
  const { host, origin, protocol } = new URL(consoleUrl);
  return {
    hosts: new Set([...own, host]),
    origins: origins.add(origin),
    secureHost: protocol === 'https:' ? host : null,
    port,
  };
}

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
