import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crawlSite } from '../support/crawl-site.ts';
import { dependencyOf, unpackedPackage } from '../support/debian-packages.ts';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { installScrapy, runScrapy } from '../support/scrapy.ts';
import { serveFolder } from '../support/serve-folder.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** What a crawler found at a URL. */
interface Found {
  readonly status: number | null;
  readonly title: string | null;
}

interface Difference {
  /** Path and query. */
  readonly url: string;
  /** Undefined: not found. */
  readonly ours: Found | undefined;
  readonly scrapy: Found | undefined;
}

interface RealSite {
  readonly name: string;
  /** Unpacked. */
  readonly folder: () => Promise<string>;
  /** A crawl that ends early proves nothing. */
  readonly fewestPages: number;
  readonly differences: readonly Difference[];
}

const NOT_FOUND: Found = { status: 404, title: '404 Not Found' };

const SITES: readonly RealSite[] = [
  {
    name: 'python3-doc',
    async folder() {
      const name = await dependencyOf('python3-doc', /python3\.\d+-doc/);
      return join(await unpackedPackage(name), 'usr/share/doc');
    },
    fewestPages: 1_000,
    differences: [],
  },
  {
    name: 'apache2-doc',
    folder: async () => join(await unpackedPackage('apache2-doc'), 'usr/share/doc/apache2-doc/manual'),
    fewestPages: 2_000,
    differences: [],
  },
  {
    name: 'debian-handbook',
    folder: async () => join(await unpackedPackage('debian-handbook'), 'usr/share/doc/debian-handbook/html'),
    fewestPages: 3_000,
    // One link is `https//planet.debian.org/`, without the colon. Browsers keep its empty segment (WHATWG URL), as we do;
    // Python's urljoin drops it.
    differences: [
      { url: '/pt-BR/https//planet.debian.org/', ours: NOT_FOUND, scrapy: undefined },
      { url: '/pt-BR/https/planet.debian.org/', ours: undefined, scrapy: NOT_FOUND },
    ],
  },
];

/** One a day; a night takes all. */
const ofToday = SITES.filter((_, index) => ALL_ROUNDS || index === roundSeed() % SITES.length);

test.for(ofToday)(
  'crawls find the URLs, statuses and titles of $name that Scrapy finds',
  async (real, { skip }) => {
    const folder = await Promise.all([real.folder(), installScrapy()]).then(
      ([unpacked]) => unpacked,
      (error: Error) => skip(error.message),
    );
    const origin = await serveFolder(folder);
    const ours = await foundByUs(origin);
    expect(ours.size).toBeGreaterThan(real.fewestPages);
    expect(differencesOf(ours, await foundByScrapy(origin))).toEqual(real.differences);
  },
);

async function foundByUs(origin: string): Promise<ReadonlyMap<string, Found>> {
  const crawled = await crawlSite({ origin }, { max_depth: 1_000, max_url: 100_000 });
  expect(crawled.endReason).toBe('ok');
  const rows = await crawled.rows('SELECT url, status_code, title FROM pages ORDER BY url');
  return new Map(
    rows.map(({ url, status_code, title }) => [
      pathOf(String(url)),
      { status: Number(status_code), title: title as string | null },
    ]),
  );
}

async function foundByScrapy(origin: string): Promise<ReadonlyMap<string, Found>> {
  const output = join(await temporaryFolder(), 'pages.jsonl');
  await runScrapy(`${origin}/`, output);
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => {
      const { url, status, title } = JSON.parse(line) as Found & { readonly url: string };
      return [pathOf(url), { status, title: title || null }];
    }),
  );
}

function differencesOf(
  ours: ReadonlyMap<string, Found>,
  scrapy: ReadonlyMap<string, Found>,
): readonly Difference[] {
  const urls = [...new Set([...ours.keys(), ...scrapy.keys()])].sort();
  return urls
    .map((url) => ({ url, ours: ours.get(url), scrapy: scrapy.get(url) }))
    .filter((one) => JSON.stringify(one.ours) !== JSON.stringify(one.scrapy));
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
