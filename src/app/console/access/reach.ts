import ipaddr from 'ipaddr.js';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { listenAddress } from '../../../core/net/listen-http.ts';
import type { ConsoleOidcSettings } from '../../../etl/project/settings/console-settings.ts';

export interface SignInSettings {
  readonly console_oidc?: ConsoleOidcSettings | undefined;
  readonly console_url?: string | undefined;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Requires OIDC unless the address is a loopback address, which only users of this machine can reach.
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
    throw new CrawlhouseError('bad_settings', 'console_oidc requires console_url', {
      hint: 'set console_url to the public address of the console, such as https://console.example',
    });
  }
}

/**
 * Returns whether only the owner of this machine can sign in: at a loopback address, by a link that a command prints.
 * This is the default of `console_actions`.
 */
export function isOwnersConsole({ console_oidc: oidc }: SignInSettings, host: string): boolean {
  return oidc === undefined && isLoopback(host);
}

interface ConsoleSettings extends SignInSettings {
  readonly console_listen?: string | undefined;
  readonly console_actions?: boolean | undefined;
}

/**
 * Returns whether the console of a project lets others than the owner of this machine change schedules and crawl
 * settings.
 */
export function hasOtherOperators(settings: ConsoleSettings): boolean {
  const { console_actions: mayAct = false, console_listen: address = '127.0.0.1:0' } = settings;
  return mayAct && !isOwnersConsole(settings, listenAddress(address).host);
}

/** Returns the addresses that one client may have: a 64-bit network of IPv6, else the single address. */
export function addressClass(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? `${address.parts.slice(0, 4).join(':')}/64` : address.toString();
}

/** The valid names of a console. */
export interface Reach {
  /** Valid values of the Host header. */
  readonly hosts: ReadonlySet<string>;
  /** Valid values of the Origin header. */
  readonly origins: ReadonlySet<string>;
  /** The only host that uses TLS. */
  readonly secureHost: string | null;
  readonly port: number;
}

/** @param port the listening port */
export function reachOf(name: string, port: number, consoleUrl: string | undefined): Reach {
  const names = [name, 'localhost', '127.0.0.1', '[::1]'];
  const own = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  const origins = new Set(names.map((name) => new URL(`http://${name}:${port}`).origin));
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
 * Returns the name of a cookie for a request. Over TLS, its prefix prevents other hosts of the domain from setting the
 * cookie. Without TLS, the port in the cookie's name distinguishes two consoles on one machine.
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

/**
 * Sets a cookie with the Set-Cookie header. If `seconds` is 0, the browser deletes the cookie. `value` must not contain semicolons or spaces.
 */
export function setCookie(
  purpose: Purpose,
  { value, seconds }: { readonly value: string; readonly seconds: number },
  { host }: Headers,
  reach: Reach,
): string {
  const secure = isSecure(host, reach) ? '; Secure' : '';
  return `${nameOf(purpose, host, reach)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}
