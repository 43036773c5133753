import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { removeOld, writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import type { SitemapPage } from '../../answers/explore/pages/read-sitemap-pages.ts';

/**
 * Limits of the protocol (https://www.sitemaps.org/protocol.html): URLs per file, bytes per file, characters per URL.
 */
const MOST_URLS = 50_000;
const MOST_BYTES = 50_000_000;
const LONGEST_URL = 2_048;

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const INDEX = 'sitemap-index.xml';
const FILE = /^sitemap-\d+\.xml\.gz$/;
/** A temporary file that a killed process left. */
const BEGUN = /^sitemap-\d+\.xml\.gz\..+\.tmp$/;

/** The sitemaps of a scheme, host and port. */
export interface WrittenSitemaps {
  readonly origin: string;
  readonly index: string;
  readonly files: number;
  readonly urls: number;
}

/** URLs and bytes per file, fewer in tests. */
interface SitemapLimits {
  readonly urls: number;
  readonly bytes: number;
}

/**
 * Writes sitemaps and their index to one folder per host, because a sitemap lists only URLs of its own host.
 *
 * @param pieces pages ordered by URL
 * @returns the written files, and the number of URLs that are too long for a sitemap
 */
export async function writeSitemaps(
  folder: string,
  pieces: AsyncIterable<readonly SitemapPage[]>,
  limits: SitemapLimits = { urls: MOST_URLS, bytes: MOST_BYTES },
): Promise<{ readonly written: readonly WrittenSitemaps[]; readonly tooLong: number }> {
  const sites = new Map<string, Site>();
  let tooLong = 0;
  for await (const pages of pieces)
    for (const page of pages) {
      const entry = entryOf(page);
      const { origin } = new URL(page.url);
      if (entry === null) tooLong++;
      else {
        const site = sites.get(origin) ?? new Site(folder, origin, limits);
        sites.set(origin, site);
        await site.add(entry);
      }
    }
  const written: WrittenSitemaps[] = [];
  for (const site of sites.values()) written.push(await site.end());
  return { written, tooLong };
}

function entryOf({ url, changed_at }: SitemapPage): string | null {
  if (url.length > LONGEST_URL) return null;
  const changed = changed_at === null ? '' : `<lastmod>${changed_at.slice(0, 10)}</lastmod>`;
  return `<url><loc>${escaped(url)}</loc>${changed}</url>\n`;
}

class Site {
  readonly #origin: string;
  readonly #folder: string;
  readonly #limits: SitemapLimits;
  #entries: string[] = [];
  #bytes = 0;
  #files = 0;
  #urls = 0;

  constructor(folder: string, origin: string, limits: SitemapLimits) {
    const { protocol, host } = new URL(origin);
    this.#origin = origin;
    this.#folder = join(folder, `${host.replaceAll(':', '_')}${protocol === 'http:' ? '-http' : ''}`);
    this.#limits = limits;
  }

  async add(entry: string): Promise<void> {
    const bytes = Buffer.byteLength(entry);
    if (this.#entries.length >= this.#limits.urls || this.#bytes + bytes > this.#limits.bytes)
      await this.#write();
    this.#entries.push(entry);
    this.#bytes += bytes;
  }

  async #write(): Promise<void> {
    this.#files++;
    this.#urls += this.#entries.length;
    makeFolder(this.#folder, { from: '--output' });
    const xml = `${HEAD}<urlset ${NAMESPACE}>\n${this.#entries.join('')}</urlset>\n`;
    await writeFileAtomic(join(this.#folder, nameOf(this.#files)), gzipSync(xml));
    this.#entries = [];
    this.#bytes = 0;
  }

  /** Writes the remaining URLs and the index, and removes files of a former run that the index does not name. */
  async end(): Promise<WrittenSitemaps> {
    await this.#write();
    const names = Array.from({ length: this.#files }, (_, number) => nameOf(number + 1));
    const list = names.map((name) => `<sitemap><loc>${escaped(`${this.#origin}/${name}`)}</loc></sitemap>\n`);
    const index = join(this.#folder, INDEX);
    await writeFileAtomic(index, `${HEAD}<sitemapindex ${NAMESPACE}>\n${list.join('')}</sitemapindex>\n`);
    for (const name of await readdir(this.#folder))
      if (FILE.test(name) && !names.includes(name)) await rm(join(this.#folder, name));
    await removeOld(this.#folder, (name) => BEGUN.test(name));
    return { origin: this.#origin, index, files: this.#files, urls: this.#urls };
  }
}

function escaped(url: string): string {
  return url.replaceAll(/[&'"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function nameOf(number: number): string {
  return `sitemap-${number}.xml.gz`;
}
