import { CookieJar } from 'tough-cookie';
import { requestPath } from '../../core/net/web-url.ts';
import type { CrawlSettings } from './crawl-settings.ts';
import { ACCEPT_ENCODING } from './fetch/content-encoding.ts';
import {
  basicAuthorization,
  type DigestChallenge,
  digestAuthorization,
  readChallenge,
} from './fetch/digest-auth.ts';
import type { NtlmCredentials } from './fetch/ntlm-auth.ts';
import type { Scope } from './frontier/scope.ts';

type HeaderList = readonly (readonly [name: string, value: string])[];

/** Headers, cookies and credentials that all requests of a crawl share. */
export class CrawlSession {
  readonly #settings: CrawlSettings;
  readonly #scope: Scope;
  readonly #jar: CookieJar | null;
  /** Whether cookies arrived since they were last taken. */
  #hasNewCookies = false;
  /** The challenge of each origin, and how often it was answered. */
  readonly #digests = new Map<string, { readonly challenge: DigestChallenge; count: number }>();

  /** @param cookies those from `takeNewCookies` before an interruption */
  constructor(settings: CrawlSettings, scope: Scope, cookies?: string) {
    this.#settings = settings;
    this.#scope = scope;
    if (!settings.useCookies) this.#jar = null;
    else if (cookies === undefined) this.#jar = new CookieJar(undefined, { looseMode: true });
    else this.#jar = CookieJar.deserializeSync(cookies);
  }

  /**
   * Returns the headers of a request. Other hosts, such as those of sitemaps, get no credentials and no extra headers.
   */
  headersFor(url: URL): Record<string, string> {
    const { headers } = this.#settings;
    const cookies = this.cookiesFor(url) ?? '';
    const cookie: Record<string, string> = cookies === '' ? {} : { cookie: cookies };
    const common = { 'accept-encoding': ACCEPT_ENCODING, ...cookie };
    if (!this.#scope.isInternal(url)) {
      const { 'user-agent': agent = '', accept = '' } = headers;
      return { ...common, 'user-agent': agent, accept };
    }
    return { ...common, ...this.#authorization(url), ...headers };
  }

  /** Returns the cookies for a request to a URL; null if none are kept. */
  cookiesFor({ href }: URL): string | null {
    return this.#jar?.getCookieStringSync(href) ?? null;
  }

  received(url: URL, headers: HeaderList): void {
    if (this.#jar === null) return;
    for (const [name, value] of headers) {
      if (name !== 'set-cookie' || !isTaken(value)) continue;
      this.#jar.setCookieSync(value, url.href, { ignoreError: true });
      this.#hasNewCookies = true;
    }
  }

  /** Returns all cookies as text, if some came since the last call; else null. */
  takeNewCookies(): string | null {
    if (this.#jar === null || !this.#hasNewCookies) return null;
    this.#hasNewCookies = false;
    return JSON.stringify(this.#jar.serializeSync());
  }

  /** Returns whether to repeat a refused request with credentials: the response has a new Digest challenge. */
  isChallenged(url: URL, statusCode: number, headers: HeaderList): boolean {
    if (statusCode !== 401 || this.#settings.auth?.scheme !== 'Digest' || !this.#scope.isInternal(url))
      return false;
    const challenge = headers
      .filter(([name]) => name === 'www-authenticate')
      .map(([, value]) => readChallenge(value))
      .find((one) => one !== null);
    if (!challenge || this.#digests.get(url.origin)?.challenge.nonce === challenge.nonce) return false;
    this.#digests.set(url.origin, { challenge, count: 0 });
    return true;
  }

  /** Returns the credentials of an origin whose connections NTLM signs in; null for others. */
  ntlmFor(url: URL): NtlmCredentials | null {
    const { auth } = this.#settings;
    return auth?.scheme === 'NTLM' && this.#scope.isInternal(url) ? auth : null;
  }

  #authorization(url: URL): Record<string, string> {
    const { auth } = this.#settings;
    if (auth === null || auth.scheme === 'NTLM') return {};
    if (auth.scheme === 'Basic') return { authorization: basicAuthorization(auth) };
    const known = this.#digests.get(url.origin);
    if (known === undefined) return {};
    known.count++;
    const request = { method: 'GET', uri: requestPath(url), count: known.count };
    return { authorization: digestAuthorization(known.challenge, auth, request) };
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** Bytes of the name and the value of a cookie. */
const LONGEST_COOKIE = 4_096;

/** Returns whether browsers accept a cookie that tough-cookie would accept (RFC 6265bis §5.6 and §5.7). */
function isTaken(value: string): boolean {
  const [pair = ''] = value.split(';', 1);
  const parts = /^([^=]*)=(.*)$/s.exec(pair) ?? ['', '', pair];
  // The sign between them does not count.
  const bytes = Buffer.byteLength(
    parts
      .slice(1)
      .map((part) => part.trim())
      .join(''),
  );
  if (bytes === 0 || bytes > LONGEST_COOKIE) return false;
  const attributes = value
    .split(';')
    .slice(1)
    .map((one) => one.replaceAll(/\s/g, '').toLowerCase());
  const needsSecure = attributes.includes('samesite=none') || attributes.includes('partitioned');
  return !CONTROL.test(value) && (!needsSecure || attributes.includes('secure'));
}
