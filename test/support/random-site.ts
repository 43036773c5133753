import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { seededRandom } from './random.ts';

/** Pages with a known title, which nothing that stands elsewhere may cost. */
const GOOD = 20;
/** Pages that have random bytes in one place. */
const TRIES = 2;
const HEADERS = [
  'Content-Type',
  'Content-Encoding',
  'Content-Length',
  'Transfer-Encoding',
  'Content-Language',
  'Location',

  'Link',
  'Refresh',
  'Set-Cookie',
  'X-Robots-Tag',
  'Cache-Control',
  'ETag',
  'Last-Modified',
  'Connection',
  'Strict-Transport-Security',
  'Content-Security-Policy',
  'X-Content-Type-Options',
  'Trailer',
  'Upgrade',
  'WWW-Authenticate',
  'Keep-Alive',
  'Alt-Svc',
  'Vary',
  'Date',
];
/** Documents in which `@` is a place for random bytes. */
const DOCUMENTS = [
  '<a href="@">x</a>',
  '<a href=@>x</a>',
  '<area href="@">',
  '<base href="@"><a href=x>x</a>',

  '<a rel="@" href=/x>x</a>',
  '<a aria-labelledby="@" href=/x></a>',
  '<a title="@" href=/x></a>',
  '<a @>x</a>',
  '<svg><a xlink:href="@"><title>@</title></a></svg>',
  '<math><a href="@">',
  '<form action="@">',

  '<link rel=canonical href="@">',
  '<link rel=alternate hreflang="@" href="@">',
  '<link rel="@" href="@">',
  '<link rel=next href="@">',
  '<link rel=manifest href="@">',
  '<link rel=amphtml href="@">',

  '<meta http-equiv=refresh content="@">',
  '<meta http-equiv=refresh content="0;url=@">',
  '<meta name="@" content="@">',

  '<meta charset="@">',
  '<meta http-equiv=content-type content="text/html; charset=@">',
  '<meta name=robots content="@">',

  '<meta name=robots content="unavailable_after: @">',
  '<meta name=description content="@">',
  '<meta property="og:@" content="@">',

  '<meta name="twitter:@" content="@">',
  '<html lang="@">',
  '<title>@</title>',
  '<h1>@</h1><h2>@',
  '<p>@',
  '@',

  '<img src="@" srcset="@" alt="@" width="@">',
  '<iframe src="@">',
  '<script src="@"></script>',
  '<video poster="@">',

  '<script type="application/ld+json">@</script>',
  '<script type="application/ld+json">{"@context":"https://schema.org","@type":"@","@":"@"}</script>',

  '<script type="application/ld+json">{"@id":"@","@graph":[@,{"@id":"@"}]}</script>',
  '<script type="@">@</script>',

  '<div itemscope itemtype="@" itemid="@"><a itemprop="@" href="@">',
  '<div itemscope itemref="@" id="@">@',

  '<div vocab="@" typeof="@" prefix="@" resource="@"><span property="@" content="@">',
  '<template @>@</template>',

  '<!doctype @><p>',
  '<!--@--><p>',
  '<![CDATA[@',
  '<?@',
  '</@>',
  '<@>',
  '<table><@><td>@',
  '<style>@',
  '&@;',
  '&#@;',
];
const SITEMAPS = [
  '<urlset><url><loc>@</loc></url></urlset>',
  '<urlset><url><loc>/x</loc><lastmod>@</lastmod></url></urlset>',

  '<urlset><url><loc>/x</loc><xhtml:link rel="alternate" hreflang="@" href="@"/></url></urlset>',
  '<urlset @><url>@',

  '<sitemapindex><sitemap><loc>@</loc></sitemap></sitemapindex>',
  '<rss><channel><item><link>@</link></item></channel></rss>',

  '<feed><entry><link href="@"/></entry></feed>',
  '<?xml version="1.0" encoding="@"?><urlset><url><loc>@</loc>',
  '@',

  '<!DOCTYPE urlset [<!ENTITY a "@">]><urlset><url><loc>&a;</loc></url></urlset>',
  '<urlset><url><loc><![CDATA[@]]></loc>',
  '/x\n@\n/y',
  '<urlset><url><image:image><image:loc>@</image:loc></image:image></url></urlset>',
];
const LINES = [
  'Sitemap: @',
  'Sitemap:@',
  'Disallow: /no@',
  'Allow: /no@',
  'disalow /no@',
  '@',
  '@:@',
  'User-agent: other@',

  '# @',
  'Host: @',
  'Clean-param: @',
  'Noindex: /no@',
  'Sitemap: http://127.0.0.1:1/@',
  'Content-Signal: @',
];

interface RandomSite {
  readonly origin: string;
  /** Paths with their titles. */
  readonly good: Readonly<Record<string, string>>;
  /** Paths of pages with random bytes. */
  readonly odd: readonly string[];
}

/** A site that has random bytes wherever it may write: in robots.txt, sitemaps, headers and documents. */
export async function serveRandomSite(seed: number): Promise<RandomSite> {
  const random = seededRandom(seed);
  const answers = new Map<string, Buffer>();
  const odd: string[] = [];
  const filled = (text: string): Buffer =>
    Buffer.concat(
      text
        .split(/(@(?!id|type|context|graph))/)
        .map((part) => (part === '@' ? randomBytes(random) : Buffer.from(part))),
    );
  const add = (answer: Buffer): void => {
    const path = `/odd/${odd.length}`;
    odd.push(path);
    answers.set(path, answer);
  };
  for (let round = 0; round < TRIES; round++) {
    for (const text of DOCUMENTS) add(whole(filled(text), 'text/html'));
    for (const name of HEADERS) {
      const status = name === 'Location' ? '302 Found' : '200 OK';
      const head = Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${name}: `), randomBytes(random)]);
      add(Buffer.concat([head, Buffer.from('\r\nContent-Type: text/html\r\n\r\n<title>A page</title>')]));
    }
    add(randomBytes(random));
    for (const text of [
      'HTTP/1.1 @\r\n\r\nx',
      'HTTP/1.1 200 OK\r\n@\r\n\r\nx',
      'HTTP/1.1 200 OK\r\n@: x\r\n\r\nx',
      'HTTP/@\r\n\r\n',
    ])
      add(filled(text));
    add(
      Buffer.concat([
        Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
        randomBytes(random),
      ]),
    );
    for (const coding of ['gzip', 'br', 'zstd', 'deflate'])
      add(
        Buffer.concat([
          Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`),
          randomBytes(random),
        ]),
      );
  }
  const texts = Array.from({ length: 8 }, () => SITEMAPS).flat();
  const maps = texts.map((_, index) => `/map/${index}`);
  for (const [index, text] of texts.entries())
    answers.set(`/map/${index}`, whole(filled(text), 'application/xml'));
  const lines = [...LINES, ...LINES].map((line) => Buffer.concat([filled(line), Buffer.from('\n')]));
  const own = `\nUser-agent: testbot\nDisallow: /no\n${maps.map((path) => `Sitemap: ${path}\n`).join('')}`;
  answers.set('/robots.txt', whole(Buffer.concat([...lines, Buffer.from(own), ...lines]), 'text/plain'));
  const good = Object.fromEntries(
    Array.from({ length: GOOD }, (_, index) => [`/good/${index}`, `Good ${index}`]),
  );
  for (const [path, title] of Object.entries(good))
    answers.set(path, whole(Buffer.from(`<title>${title}</title>`), 'text/html'));
  const paths = [...odd.slice(0, odd.length / 2), ...Object.keys(good), ...odd.slice(odd.length / 2)];
  answers.set('/', whole(Buffer.from(paths.map((path) => `<a href="${path}">x</a>`).join('')), 'text/html'));
  return { origin: await serve(answers), good, odd };
}

async function serve(answers: ReadonlyMap<string, Buffer>): Promise<string> {
  const missing = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (piece) =>
      socket.end(answers.get(piece.toString('latin1').split(' ')[1] ?? '') ?? missing),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function whole(body: Buffer, type: string): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

const WORDS = [
  'http://',
  'https://',
  '//',
  '/',
  '?',
  '#',
  ':',
  '%',
  '%zz',
  '%00',
  '[',
  ']',
  '@',
  '\\',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\0',

  '"',
  "'",
  '<',
  '>',
  '&',
  '&amp;',
  '&#0;',
  '=',
  ';',
  ',',
  '{',
  '}',
  '*',
  '$',
  '^',
  '|',
  '.',
  '..',
  '-',
  '0',
  '1e9',
  '-1',

  '99999999999999999999',
  'javascript:',
  'data:',
  'mailto:',
  'url=',
  'utf-16',
  'gzip',
  'chunked',
  '<!--',
  '-->',
  ']]>',

  '</script>',
  '__proto__',
  'constructor',
  'é',
  '日本',
  '\u202e',
  '\u200b',
  '\ufeff',
  '\ud83d',
  'ß',
  'x'.repeat(3_000),
];

/** What begins a URL that is none. */
const BAD_URLS = [
  'http://[',
  'http://a:99999',
  'https://%00',
  '//[',
  'http://',
  'http:// ',
  'http://a b/',
  '//%',
  'http:/\\',
];

function randomBytes(random: () => number): Buffer {
  const pieces = Array.from({ length: 1 + Math.floor(random() * 12) }, () =>
    random() < 0.3
      ? Buffer.from(Array.from({ length: 1 + Math.floor(random() * 9) }, () => Math.floor(random() * 256)))
      : Buffer.from(WORDS[Math.floor(random() * WORDS.length)] ?? ''),
  );
  const begin = random() < 0.2 ? (BAD_URLS[Math.floor(random() * BAD_URLS.length)] ?? '') : '';
  return Buffer.concat([Buffer.from(begin), ...pieces]);
}
