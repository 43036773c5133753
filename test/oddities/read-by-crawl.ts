import type { Crawled } from '../support/crawl-site.ts';
import { ODDITIES } from './cases.ts';
import { NO_PAGE, ofSite, type Reading } from './reading.ts';

/** Where the two may differ, and why. */
export const ACCEPTED: Readonly<Record<string, string>> = {
  'type: text/': 'no type by the MIME standard, so it is sniffed; Chromium downloads it',
  'type: /html': 'the same',
  'type: text/html/x': 'no type by the MIME standard; Chromium shows it as text',
  'type: application/xhtml+xml':
    'not well-formed: Chromium shows the error, and search engines read it as HTML',
  'refresh: 0;url=//[': 'no refresh by the HTML standard; Chromium ends at an error',
  'refresh-header: 0;url=//[': 'the same',
  'redirect: 300 Choices': 'not followed, and of an error page without content nothing is read',
  'redirect: 305 Use Proxy': 'the same',
  'redirect: 306 Unused': 'the same',
  'redirect: 399 Odd': 'the same',
  'base: http://[': 'the HTML standard falls back to the URL of the document; in Chromium no link resolves',
  'link: /l|m': 'the URL standard keeps the bar; Chromium encodes it',
  'query: x-user-defined': 'no search engine has this encoding; it is read as windows-1252',
  'charset: a meta in the body behind 2 KB':
    'it changes the encoding by the HTML standard; Chromium looks to the end of the head',
  'charset: <meta charset=koi8-r charset=windows-1251>':
    'the first attribute counts by the HTML standard; in Chromium the last one',
  'charset: <script>"<meta charset=koi8-r>"</script><meta charset=windows-1251>':
    'by the HTML standard the first kilobyte is searched without a look at what is a script',
  'charset: <style><meta charset=koi8-r></style><meta charset=windows-1251>': 'the same',
  'refresh: two': 'the first one counts by the HTML standard; in Chromium the last one that is as soon',
  'refresh: beside a header': 'the same',
  'refresh: before a base':
    'Chromium has not seen the base yet; a document has one base for all of its addresses',
  'markup: a canonical behind "\\u0000"': 'it ends the head by the HTML standard; Chromium passes over it',
  'markup: a link in a selection':
    'parse5 takes a selection for one without links, as browsers did until 2025',
  'file: an image called HTML': 'no page of words: Chromium shows the bytes as text',
  'file: a video called HTML': 'the same',
  'file: an archive called HTML': 'the same',
  'file: an office file called HTML': 'the same',
  'file: a PDF called HTML': 'the same',
};

/** How a crawl has read the oddities. */
export async function readByCrawl(crawled: Crawled, origin: string): Promise<Record<string, Reading>> {
  const rows = await crawled.rows(
    `SELECT url, parsed_html, encoding, title, rel_canonical, redirect_location, meta_refresh_location, meta_refresh_delay,
       (SELECT list(target ORDER BY links.rowid) FROM fetched_links AS links WHERE links.origin = pages.url) AS links
     FROM fetched_pages AS pages`,
  );
  const pages = new Map(rows.map((row) => [ofSite(String(row.url), origin), row]));
  return Object.fromEntries(
    ODDITIES.map(({ path }) => {
      const end = endOf(path, (at) => {
        const row = pages.get(at);
        const isAway = row?.meta_refresh_delay !== null && Number(row?.meta_refresh_delay) === 0;
        const next = row?.redirect_location ?? (isAway ? row?.meta_refresh_location : null) ?? null;
        return next === null ? null : ofSite(String(next), origin);
      });
      const row = pages.get(end);
      if (row?.parsed_html !== true) return [path, NO_PAGE];
      const links = ((row.links as { items?: string[] } | null)?.items ?? []).map(
        (link) => ofSite(link, origin) ?? '',
      );
      const canonical = row.rel_canonical === null ? null : ofSite(String(row.rel_canonical), origin);
      const title = (row.title as string | null) ?? null;
      return [path, { end, isPage: true, title, encoding: String(row.encoding), canonical, links }];
    }),
  );
}

function endOf(path: string, next: (at: string) => string | null): string {
  let at = path;
  for (let hop = 0; hop < 5; hop++) at = next(at) ?? at;
  return at;
}

/** One line a difference that is not accepted, and one for each that is accepted and is none. */
export function differences(
  ours: Readonly<Record<string, Reading>>,
  theirs: Readonly<Record<string, Reading>>,
): string[] {
  const differ = ODDITIES.filter(({ path }) => JSON.stringify(ours[path]) !== JSON.stringify(theirs[path]));
  const keys = new Set(differ.map(({ kind, name }) => `${kind}: ${name}`));
  const found = differ
    .filter(({ kind, name }) => !(`${kind}: ${name}` in ACCEPTED))
    .map(
      ({ kind, name, path }) =>
        `${kind}: ${name}: ${JSON.stringify(ours[path])}, not ${JSON.stringify(theirs[path])}`,
    );
  return [
    ...found,
    ...Object.keys(ACCEPTED)
      .filter((key) => !keys.has(key))
      .map((key) => `${key} is no difference`),
  ];
}
