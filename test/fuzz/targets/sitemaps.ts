import { type SitemapEntry, SitemapReader } from '../../../src/site/crawler/robots/sitemap-reader.ts';
import { Fault, plainTarget, same, type Verdict } from '../target.ts';

/** Of fewer tags than a sitemap may have levels, all is read. */
const FEW_TAGS = 100;

function read(pieces: readonly string[]) {
  const entries: SitemapEntry[] = [];
  const sitemaps: string[] = [];
  const reader = new SitemapReader({
    entry: (entry) => entries.push(entry),
    sitemap: (url) => sitemaps.push(url),
  });
  for (const piece of pieces) reader.write(piece);
  reader.close();
  return { entries, sitemaps };
}

function check(input: Buffer): Verdict {
  const text = input.toString();
  const found = read([text]);
  for (const { url, alternates, images, news, videos } of found.entries) {
    if (url === '' || url !== url.trim()) throw new Fault('a URL is empty or has white space around it', url);
    if (!text.includes('<') && !text.includes(url)) throw new Fault('a URL is made up', url);
    for (const { href, lang } of alternates)
      if (href !== href.trim() || lang !== lang.trim()) throw new Fault('an alternate has white space', href);
    if (images < 0 || news < 0 || videos < 0) throw new Fault('a count is negative', url);
  }
  // In pieces, cut at any place between two characters.
  const size = 1 + (input.length % 7);
  const pieces = [...text].length === text.length ? text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) : null;
  // Where reading is given up, at many errors or levels, depends on the pieces.
  const isSmall = text.split('<').length < FEW_TAGS;
  if (pieces !== null && isSmall) same(read(pieces), found, 'in pieces');
  const plain = plainEntries(text);
  if (plain !== undefined)
    same(
      found.entries.map(({ url, lastmod }) => [url, lastmod]),
      plain,
      'a plain sitemap',
    );
  return found.entries.length + found.sitemaps.length > 0 ? 'taken' : 'refused';
}

/** The URLs of a sitemap that is written in the plainest way; undefined for others. */
function plainEntries(text: string): (readonly [string, string | null])[] | undefined {
  const found =
    /^<urlset>((?:<url><loc>[\w:/.]+<\/loc>(?:<lastmod>[\w:.-]+<\/lastmod>)?<\/url>)*)<\/urlset>$/.exec(text);
  if (found === null) return undefined;
  const pattern = /<loc>([^<]+)<\/loc>(?:<lastmod>([^<]+)<\/lastmod>)?/g;
  return [...(found[1] ?? '').matchAll(pattern)].map(([, url = '', lastmod]) => [url, lastmod ?? null]);
}

/** Sitemaps and their indexes, XML or text. */
export const sitemaps = plainTarget(
  {
    name: 'sitemaps',
    seeds: [
      '<urlset><url><loc>https://a.example/b</loc><lastmod>2026-11-24</lastmod></url></urlset>',
      '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>https://a.example/?a=1&amp;b=2</loc><xhtml:link rel="alternate" hreflang="de" href="https://a.example/de"/><image:image><image:loc>https://a.example/i.png</image:loc></image:image></url></urlset>',
      '<sitemapindex><sitemap><loc><![CDATA[https://a.example/s1.xml?a=1&b=2]]></loc></sitemap></sitemapindex>',
      'https://a.example/1\nhttps://a.example/2\r\n',
    ],
    words: [
      '<url>',
      '</url>',
      '<loc>',
      '</loc>',
      '<sitemap>',
      '&',
      '&amp;',
      '&#38;',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '<!DOCTYPE a [<!ENTITY b "c">]>',
      '&b;',
      'https://',
      '<?xml',
      'xmlns:a=""',
    ],
    shortRound: 1500,
  },
  check,
);
