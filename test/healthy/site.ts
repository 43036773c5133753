import { deflateSync } from 'node:zlib';
import type { SiteReply } from '../support/crawl-site.ts';

/** What a template answers at each path. */
export type Routes = Record<string, SiteReply>;

/** A site of a template: its pages at an origin, the same for the same random numbers. */
export type Template = (origin: string, random: () => number) => Routes;

const typed =
  (type: string) =>
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): SiteReply => ({
    headers: { 'content-type': type, ...headers },
    body,
  });

export const page = typed('text/html; charset=utf-8');
const xml = typed('application/xml; charset=utf-8');
const feed = typed('application/rss+xml; charset=utf-8');
export const atom = typed('application/atom+xml; charset=utf-8');
export const json = (value: unknown): SiteReply => typed('application/json')(JSON.stringify(value));
export const plain = typed('text/plain; charset=utf-8');
export const pdf = (): SiteReply => typed('application/pdf')('%PDF-1.4\n1 0 obj\n<< >>\nendobj\n%%EOF\n');
export const zip = (): SiteReply =>
  typed('application/zip')(Uint8Array.from([0x50, 0x4b, 5, 6, ...Array<number>(18).fill(0)]));

/** The smallest PNG, with bytes behind its end that make it as large as a photo. */
export function image(kilobytes = 1): SiteReply {
  const chunk = (name: string, data: Uint8Array): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
  };
  const header = Uint8Array.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const parts = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(2))),
    chunk('IEND', Buffer.alloc(0)),
    Buffer.alloc(kilobytes * 1024),
  ];
  return typed('image/png')(Buffer.concat(parts));
}

export const moved = (location: string, status = 301): SiteReply => ({ status, headers: { location } });

export function missing(title: string, body: string): SiteReply {
  const head = `<meta charset="utf-8"><title>${title}</title><meta name="robots" content="noindex">`;
  return {
    ...page(`<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`),
    status: 404,
  };
}

export function sitemap(urls: readonly string[]): SiteReply {
  const entries = urls.map(
    (url) => `<url><loc>${escaped(url)}</loc><lastmod>2026-10-01T08:00:00+00:00</lastmod></url>`,
  );
  return xml(
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>`,
  );
}

export function sitemapIndex(urls: readonly string[]): SiteReply {
  const entries = urls.map((url) => `<sitemap><loc>${escaped(url)}</loc></sitemap>`);
  return xml(
    `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</sitemapindex>`,
  );
}

export function rss(
  title: string,
  link: string,
  items: readonly { title: string; url: string }[],
): SiteReply {
  const entries = items.map(
    (item) =>
      `<item><title>${escaped(item.title)}</title><link>${escaped(item.url)}</link><guid>${escaped(item.url)}</guid></item>`,
  );
  return feed(
    `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>${escaped(title)}</title><link>${link}</link>${entries.join('')}</channel></rss>`,
  );
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A script of structured data. */
export const jsonLd = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Parts of a list, each of at most this many. */
export function parts<T>(list: readonly T[], size: number): T[][] {
  return numbers(Math.ceil(list.length / size)).map((index) => list.slice(index * size, (index + 1) * size));
}
