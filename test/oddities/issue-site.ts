import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { seededRandom } from '../support/random.ts';
import { serveTls, trustedIdentity, unknownIdentity } from '../support/tls-server.ts';
import type { IssuePage, IssuePages } from './issue-pages.ts';

export const HOST = 'www.shop.example';

export interface IssueSite {
  /** Texts in braces of `issue-pages.ts`: the origins of its servers. */
  readonly origins: Readonly<Record<string, string>>;
  /** The URL of a page. */
  url(page: Named): string;
  readonly pages: readonly Named[];
}

export interface Named extends IssuePage {
  readonly at: string;
}

const SECURE = {
  'strict-transport-security': 'max-age=31536000',
  'content-security-policy': "default-src * 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
};

/** The pages of the issues, each at its address: those that have it, those that are near, and those that they need. */
function namedPages(pages: Readonly<Record<string, IssuePages>>): Named[] {
  return Object.entries(pages).flatMap(([issue, [fires, near, ...beside]]) => [
    named(issue, 'fires', fires),
    named(issue, 'near', near),
    ...beside.map((page, index) => named(issue, `${index}`, page)),
  ]);
}

export function named(issue: string, place: string, page: IssuePage): Named {
  return { ...page, at: page.at ?? `/${issue.replaceAll('_', '-')}/${place}` };
}

/** A shop on this machine for one test, over http and https at one port, and its other hosts. */
export async function serveIssueSite(pages: Readonly<Record<string, IssuePages>>): Promise<IssueSite> {
  const all = namedPages(pages);
  const answers = new Map<string, Named>();
  const origins: Record<string, string> = {};
  const fill = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (_, name) => origins[name] ?? name);
  const urlOf = ({ at }: Named): string => (at.startsWith('{') ? fill(at) : `${origins.https}${at}`);
  const lists = (nth: number): string =>
    `<urlset>${all
      .filter((page) => sitemapsOf(page) >= nth)
      .map((page) => `<url><loc>${escaped(urlOf(page))}</loc></url>`)
      .join('')}</urlset>`;
  const links = (nth: number): string =>
    all
      .filter((page) => (page.inlinks ?? 2) >= nth)
      .map((page) => `<a href="${escaped(urlOf(page))}"${fill(page.link ?? '')}>${page.at}</a>`)
      .join('\n');
  const answer: RequestListener = (request, response) => {
    const scheme = (request.socket as TLSSocket).encrypted ? 'https' : 'http';
    const path = request.url ?? '';
    const url = `${scheme}://${request.headers.host}${path}`;
    const known = answers.get(url);
    if (path === '/robots.txt' && url.startsWith(`${origins.failing}/`))
      return void response.writeHead(503).end();
    if (path === '/robots.txt')
      return void response.end(
        fill(Object.keys(pages).reduce((text, name) => text + (SITEMAPS[name] ?? ''), ROBOTS)),
      );
    if (path === '/flaw.xml') return void response.end(`Warning: x\n<?xml version="1.0"?>${lists(2)}`);
    if (path === '/a.xml' || path === '/b.xml')
      return void response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(lists(path === '/a.xml' ? 1 : 2));
    if (url === `${origins.https}/` || url === `${origins.https}/hub`)
      return send(
        response,
        { at: path, body: path === '/' ? `${links(1)}<a href="/hub">Hub</a>` : links(2) },
        fill,
        url,
      );
    if (known === undefined) return void response.writeHead(404, SECURE).end('missing');
    reply(request, response, known, fill, url);
  };
  const identity = await trustedIdentity();
  const shop = await serveTls(identity, 'http2', answer);
  origins.https = `https://${HOST}:${shop}`;
  origins.http = `http://${HOST}:${shop}`;
  origins.host = `${HOST}:${shop}`;
  origins.slow = `https://slow.shop.example:${await serveTls(identity, 'http1', answer)}`;
  origins.old = `https://old.shop.example:${await serveTls(identity, 'old_tls', answer)}`;
  origins.failing = `https://failing.shop.example:${await serveTls(identity, 'http1', answer)}`;
  origins.unknown = `https://unknown.shop.example:${await serveTls(await unknownIdentity(), 'http1', answer)}`;
  for (const page of all) answers.set(urlOf(page), page);
  return { origins, url: urlOf, pages: all };
}

const ROBOTS = `User-agent: *
Disallow: /denied/

User-agent: Bingbot
Disallow: /denied/
Disallow: /no-bing/

Sitemap: {https}/a.xml
Sitemap: {https}/b.xml
`;

/** Sitemaps that some issues of the start page need, and that others can't have beside them. */
const SITEMAPS: Readonly<Record<string, string>> = {
  unreadable_sitemap: 'Sitemap: {https}/gone.xml\n',
  sitemap_flaw: 'Sitemap: {https}/flaw.xml\n',
};

function sitemapsOf(page: Named): number {
  return page.sitemaps ?? ((page.status ?? 200) === 200 && !page.at.startsWith('{') ? 1 : 0);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function reply(
  request: IncomingMessage,
  response: ServerResponse,
  page: Named,
  fill: (text: string) => string,
  url: string,
): void {
  if (page.answer === 'none') return void request.socket.destroy();
  if (page.answer === 'http_1_0') {
    // Node answers by HTTP/1.1 alone.
    request.socket.write(`HTTP/1.0 200 OK\r\ncontent-type: text/html\r\n\r\n`);
    return void request.socket.end(html(page, fill, url));
  }
  setTimeout(() => send(response, page, fill, url), page.delayMs ?? 0);
}

function send(response: ServerResponse, page: Named, fill: (text: string) => string, url: string): void {
  const body = page.raw === undefined ? html(page, fill, url) : fill(page.raw);
  const headers = Object.entries({
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    ...SECURE,
    ...page.headers,
  }).flatMap(([name, value]) => (value === null ? [] : [[name, fill(value)] as const]));
  const isGzip = headers.some(([name, value]) => name === 'content-encoding' && value === 'gzip');
  response.writeHead(page.status ?? 200, Object.fromEntries(headers));
  response.end(isGzip && page.raw === undefined ? gzipSync(body) : body);
}

/** A page without any fault but those that it is made with. */
function html(page: Named, fill: (text: string) => string, url: string): string {
  const words = wordsOf(page.at);
  const [title, h1, description] = [`About ${words(4)}`, `The ${words(3)}`, `Read of ${words(12)}`];
  const or = (given: string | null | undefined, own: string, around: (text: string) => string): string =>
    given === null ? '' : around(given === undefined ? own : fill(given));
  const head = [
    or(page.title, title, (text) => `<title>${text}</title>`),
    or(page.description, description, (text) => `<meta name="description" content="${text}">`),
    or(page.canonical, escaped(url), (text) => `<link rel="canonical" href="${text}">`),
    fill(page.head ?? DATA),
  ];
  const body = [
    or(page.h1, h1, (text) => `<h1>${text}</h1>`),
    page.h2 === null ? '' : `<h2>${words(3)}</h2>`,
    `<p>${page.text ?? (page.textOf === undefined ? words : wordsOf(page.textOf))(page.words ?? 330)}</p>`,
    page.image === null ? '' : '<img src="/lamp.png" alt="A lamp" width="10" height="20">',
    page.home === null ? '' : fill('<p><a href="{https}/">All that the shop has</a></p>'),
    fill(page.body ?? ''),
  ];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">${head.join('')}</head><body><main>${body.join('')}</main></body></html>`;
}

const DATA = `<script type="application/ld+json">{"@context": "https://schema.org", "@type": "WebPage", "name": "A page"}</script>`;
const [CONSONANTS, VOWELS] = ['bdfgklmnprstvz', 'aeiou'];

/** Words that are the same for the same name. */
function wordsOf(name: string): (count: number) => string {
  const random = seededRandom([...name].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) | 0, 7));
  return (count) => Array.from({ length: count }, () => word(random)).join(' ');
}

function word(random: () => number): string {
  const one = (of: string): string => of[Math.floor(random() * of.length)] ?? '';
  return Array.from({ length: 3 }, () => one(CONSONANTS ?? '') + one(VOWELS ?? '')).join('');
}
