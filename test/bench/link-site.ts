import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededRandom } from '../support/random.ts';

/**
 * A site of generated pages on this machine, in a process of its own: `link-site.ts PAGES LINKS`. Prints its port. A page
 * has 250 words, a menu, links to the pages below it, and links to pages anywhere.
 */
const [pages = 0, links = 0] = process.argv.slice(2).map(Number);
const MENU = 10;
const BRANCHES = 8;
const random = seededRandom(15);
const SYLLABLES = ['ba', 'cor', 'del', 'fin', 'gra', 'hol', 'jun', 'kel', 'mor', 'nus', 'per', 'tis'];
const WORDS = Array.from({ length: 2_000 }, () =>
  Array.from(
    { length: 2 + Math.floor(random() * 3) },
    () => SYLLABLES[Math.floor(random() * SYLLABLES.length)],
  ).join(''),
);

function words(from: number, step: number, count: number): string {
  return Array.from({ length: count }, (_, index) => WORDS[(from + index * step) % WORDS.length]).join(' ');
}

function link(target: number, text: string): string {
  return `<li><a href="/page/${target % pages}">${text}</a></li>`;
}

function page(number: number): string {
  const title = words(number * 7, 13, 6);
  const menu = Array.from({ length: MENU }, (_, index) => link(index, `Menu ${index}`));
  const below = Array.from({ length: BRANCHES }, (_, index) => number * BRANCHES + index + 1).filter(
    (target) => target < pages,
  );
  const anywhere = Array.from(
    { length: Math.max(0, links - MENU - below.length) },
    (_, index) => number * 31 + index * index * 97,
  );
  const targets = [...below, ...anywhere];
  const listed = targets.map((target, index) => link(target, words(target, 3, 2 + (index % 3))));
  const paragraphs = Array.from(
    { length: 5 },
    (_, index) => `<p>${words(number * 3 + index, 17 + (number % 11), 50)}.</p>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="description" content="${words(number * 5, 11, 20)}"><link rel="canonical" href="/page/${number}">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"${title}"}</script></head>
<body><nav><ul>${menu.join('')}</ul></nav><main><h1>${title}</h1>${paragraphs.join('\n')}
<h2>${words(number, 5, 4)}</h2><ul>${listed.join('\n')}</ul></main></body></html>`;
}

let asked = 0;
const server = createServer((request, response) => {
  // When a page was asked for last, in UTC milliseconds.
  if (request.url === '/asked') return void response.end(String(asked));
  asked = Date.now();
  const number = Number(/^\/page\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
  if (number < pages) {
    const body = Buffer.from(page(number));
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length });
    response.end(body);
  } else response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
