import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Crawls a site with Crawlee's PlaywrightCrawler, as its documentation begins: `crawlee.ts FOLDER BROWSER START_URL`, where
 * the folder has its packages. Its browsers have no fingerprints of others, which it makes unless told not to.
 */
const [folder = '', executablePath = '', startUrl = ''] = process.argv.slice(2);

interface Crawlee {
  readonly PlaywrightCrawler: new (
    options: object,
    configuration: object,
  ) => { run(urls: readonly string[]): Promise<unknown> };
  readonly Configuration: new (options: object) => object;
}
interface Context {
  readonly page: { evaluate<T>(expression: string): Promise<T> };
  enqueueLinks(): Promise<unknown>;
}

const { PlaywrightCrawler, Configuration } = createRequire(join(folder, 'package.json'))(
  '@crawlee/playwright',
) as Crawlee;
/** Fewer than our fields: title, h1, canonical, text, links with their texts. */
const READ = `[document.title, document.querySelector('h1')?.textContent, document.querySelector('link[rel=canonical]')?.href,
  document.body.innerText, [...document.links].map((link) => [link.href, link.textContent]), document.documentElement.outerHTML]`;
let [pages, links, shown] = [0, 0, 0];
const crawler = new PlaywrightCrawler(
  {
    maxRequestsPerCrawl: Number.MAX_SAFE_INTEGER,
    launchContext: { launchOptions: { executablePath, args: ['--no-sandbox', '--disable-gpu'] } },
    browserPoolOptions: { useFingerprints: false },
    async requestHandler({ page, enqueueLinks }: Context) {
      const [, h1, , text, found] = await page.evaluate<[string, string, string, string, string[][]]>(READ);
      await enqueueLinks();
      if (h1 !== undefined) pages++;
      if (text.includes('Shown')) shown++;
      links += found.length;
    },
  },
  new Configuration({ persistStorage: false, logLevel: 'OFF' }),
);
await crawler.run([startUrl]);
process.stdout.write(`${JSON.stringify({ pages, links, shown })}\n`);
