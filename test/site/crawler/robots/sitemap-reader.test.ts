import { expect, test } from 'vitest';
import { type SitemapEntry, SitemapReader } from '../../../../src/site/crawler/robots/sitemap-reader.ts';

function read(
  text: string,
  piece = text.length,
): { entries: SitemapEntry[]; sitemaps: string[]; errors: number; reader: SitemapReader } {
  const [entries, sitemaps]: [SitemapEntry[], string[]] = [[], []];
  const reader = new SitemapReader({
    entry: (entry) => entries.push(entry),
    sitemap: (url) => sitemaps.push(url),
  });
  for (let at = 0; at < text.length; at += piece) reader.write(text.slice(at, at + piece));
  reader.close();
  return { entries, sitemaps, errors: reader.errors, reader };
}

const SITEMAP = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="v" xmlns:news="n">
  <url>
    <loc> https://site.example/a?x=1&amp;y=2 </loc><lastmod>2026-01-02</lastmod>
    <xhtml:link rel="alternate" hreflang="de" href="https://site.example/de"/>
    <xhtml:link rel="stylesheet" href="https://site.example/css"/>
    <xhtml:link rel="nofollow ALTERNATE" hreflang="fr" href="https://site.example/fr"/>
    <image:image><image:loc>https://site.example/i.png</image:loc></image:image>
    <image:image><image:loc>https://site.example/j.png</image:loc></image:image>
    <v:video xmlns:v="v"/><news:news/>
  </url>
  <url><loc><![CDATA[https://site.example/b]]></loc></url>
  <url><lastmod>2026</lastmod></url>
</urlset>`;

test.each([1, 7, 10_000])('a sitemap yields its URLs, in chunks of %i characters', (piece) => {
  const { entries, errors } = read(SITEMAP, piece);
  expect(errors).toBe(0);
  expect(entries).toEqual([
    {
      url: 'https://site.example/a?x=1&y=2',
      lastmod: '2026-01-02',
      alternates: ['de', 'fr'].map((lang) => ({ lang, href: `https://site.example/${lang}` })),
      images: 2,
      news: 1,
      videos: 1,
    },
    { url: 'https://site.example/b', lastmod: null, alternates: [], images: 0, news: 0, videos: 0 },
  ]);
});

test('an index yields its sitemaps', () => {
  const text =
    '<sitemapindex><sitemap><loc>https://site.example/1.xml</loc></sitemap><sitemap/></sitemapindex>';
  expect(read(text)).toMatchObject({ entries: [], sitemaps: ['https://site.example/1.xml'] });
});

test('reading continues after errors', () => {
  const text =
    '\n <?xml version="1.0"?><urlset><url><loc>https://site.example/a&b</loc></wrong></url><url><loc>https://site.example/c</loc></url>';
  const { entries, errors } = read(text);
  expect(entries.map(({ url }) => url)).toEqual(['https://site.example/a&b', 'https://site.example/c']);
  expect(errors).toBeGreaterThan(0);
});

test.each([
  ['an entry that is not closed', '<urlset><url><loc>A</loc><url><loc>B</loc></url></urlset>'],
  ['a file that is cut behind an address', '<urlset><url><loc>A</loc></url><url><loc>B</loc><lastm'],
  [
    'an entry with two addresses',
    '<urlset><url><loc>A</loc><loc>C</loc></url><url><loc>B</loc></url></urlset>',
  ],
  ['a text with columns', 'A\t2024-01-01\nB\tdaily'],
  ['a text with quoted columns', '"A","0.5"\nB daily 0.5'],
])('from %s, the existing content is read', (_, text) => {
  const whole = text.replaceAll(/\b[ABC]\b/g, 'https://site.example/$&');
  for (const piece of [1, 10_000])
    expect(read(whole, piece).entries.map(({ url }) => url)).toEqual([
      'https://site.example/A',
      'https://site.example/B',
    ]);
});

test('endless entries are handled apart from levels', () => {
  const text = `<urlset>${Array.from({ length: 500 }, (_, at) => `<url><loc>https://site.example/${at}</loc>`).join('')}`;
  expect(read(text).entries).toHaveLength(500);
});

test('a text with one URL per line is a sitemap', () => {
  const { entries } = read('https://site.example/a\r\n# no\nhttps://site.example/b', 5);
  expect(entries.map(({ url }) => url)).toEqual(['https://site.example/a', 'https://site.example/b']);
});

test.each([
  ['/b', 'relative_url'],
  ['www.site.example/b', 'relative_url'],
  ['# of 2.0/3', null],
  ['https://site.example/b', null],
  ['', null],
])('a text with the line %j has the warning %s', (line, flaw) => {
  const { reader } = read(`https://site.example/a\n${line}\n`);
  expect([reader.problem, reader.flaw]).toEqual([null, flaw]);
});

test('an entity is literal text without expansion', () => {
  const text =
    '<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><urlset><url><loc>https://site.example/&b;</loc></url></urlset>';
  expect(read(text).entries.map(({ url }) => url)).toEqual(['https://site.example/&a;&a;&a;']);
});

test('a file with an error at every byte, or endless levels, is not read further', () => {
  const url = '<url><loc>https://site.example/a</loc></url>';
  const errors = read(`<urlset>${url}${'<!['.repeat(100_000)}>${url}</urlset>`, 100_000);
  expect(errors.entries).toHaveLength(1);
  expect(errors.errors).toBeLessThan(50_000);
  const levels = read(`<urlset>${url}${'<a>'.repeat(100_000)}${url}`, 100_000);
  expect(levels.entries).toHaveLength(1);
});

test('an overlong line in a text sitemap is skipped, and the next one is read', () => {
  const text = `https://site.example/${'a'.repeat(300_000)}https://site.example/b\nhttps://site.example/c\n`;
  expect(read(text, 50_000).entries.map(({ url }) => url)).toEqual(['https://site.example/c']);
});

const FEEDS: readonly (readonly [name: string, text: string])[] = [
  [
    'RSS 2.0',
    '<rss version="2.0" xmlns:atom="a"><channel><link>https://site.example/</link><atom:link rel="self" href="https://site.example/feed"/><item><title>x</title><atom:link href="https://site.example/no"/><link>https://site.example/a</link><guid>1</guid></item><item><link> https://site.example/b?x=1&amp;y=2 </link></item></channel></rss>',
  ],
  [
    'RSS 1.0',
    '<rdf:RDF xmlns:rdf="r"><channel><link>https://site.example/</link></channel><item><link>https://site.example/a</link></item><item><link><![CDATA[https://site.example/b?x=1&y=2]]></link></item></rdf:RDF>',
  ],
  [
    'Atom',
    '<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="https://site.example/feed"/><link href="https://site.example/"/><entry><link rel="edit" href="https://site.example/e"/><link rel="alternate" href="https://site.example/a"/></entry><entry><link href="https://site.example/b?x=1&amp;y=2"/></entry></feed>',
  ],
  [
    'prefixed Atom',
    '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:link href="https://site.example/a"/></a:entry><a:entry><a:link href="https://site.example/b?x=1&amp;y=2"/></a:entry></a:feed>',
  ],
  ['lines that end in CR', 'https://site.example/a\rhttps://site.example/b?x=1&y=2\r'],
  ['lines with columns', 'https://site.example/a, 0.5\nhttps://site.example/b?x=1&y=2; daily'],
  ['lines that end in CRLF and LF', 'https://site.example/a\r\n\nhttps://site.example/b?x=1&y=2'],
  [
    'entities of its own',
    '<!DOCTYPE urlset [<!ENTITY host "https://site.example"><!ENTITY rest \'b?x=1&amp;y=2\'>]><urlset><url><loc>&host;/a</loc></url><url><loc>&host;/&rest;</loc></url></urlset>',
  ],
];

test.each(FEEDS.flatMap(([name, text]) => [1, 5, 10_000].map((piece) => [name, piece, text] as const)))(
  '%s is a sitemap too, in chunks of %i characters',
  (_name, piece, text) => {
    const { entries } = read(text, piece);
    expect(entries.map(({ url }) => url)).toEqual([
      'https://site.example/a',
      'https://site.example/b?x=1&y=2',
    ]);
  },
);

test.each([
  [
    'a warning of PHP',
    '<br />\n<b>Warning</b>: Undefined variable $x in <b>/srv/map.php</b> on line <b>3</b><br />\n',
  ],
  ['a plain warning', 'Warning: date(): no timezone in /srv/map.php on line 3\n'],
])('%s before the XML is skipped, and reported', (_name, before) => {
  const url = 'https://site.example/a';
  for (const begin of ['<?xml version="1.0"?>', '']) {
    const text = `${before}${begin}<urlset><url><loc>${url}</loc></url></urlset>`;
    for (const piece of [1, 7, 10_000]) {
      const { entries, reader } = read(text, piece);
      expect(entries.map((entry) => entry.url)).toEqual([url]);
      expect([reader.problem, reader.flaw]).toEqual([null, 'text_before_xml']);
    }
  }
});

test('a comment may precede the first element, but not a declaration', () => {
  const file = '<urlset><url><loc>https://site.example/a</loc></url></urlset>';
  expect(read(`<!-- made --><?xml-stylesheet href="a.xsl"?>${file}`).reader.flaw).toBeNull();
  expect(read(`<!-- made --><?xml version="1.0"?>${file}`).reader.flaw).toBe('text_before_xml');
});

test('an RSS item uses its guid if it is a link and there is no other', () => {
  const { entries } = read(
    `<rss><channel>
      <item><guid>https://site.example/a</guid></item>
      <item><guid isPermaLink="false">https://site.example/no</guid></item>
      <item><guid>id-1</guid></item>
      <item><guid>https://site.example/guid</guid><link>https://site.example/b</link></item>
      <item><title>x</title></item>
    </channel></rss>`,
    3,
  );
  expect(entries.map(({ url }) => url)).toEqual(['https://site.example/a', 'https://site.example/b']);
});

test('the last line of a truncated text may be a partial URL, and is ignored', () => {
  const urls: string[] = [];
  const reader = new SitemapReader({ entry: ({ url }) => urls.push(url), sitemap: () => {} });
  reader.write('https://site.example/a\nhttps://site.example/b');
  reader.close(true);
  expect(urls).toEqual(['https://site.example/a']);
});
