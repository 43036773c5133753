import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPython } from './python-environment.ts';

const run = promisify(execFile);
const VERSION = '2.19.0';
const SPIDER = join(import.meta.dirname, 'site-spider.py');

export const SCRAPY = `Scrapy ${VERSION}`;

/** What a crawl of Scrapy took, in a process of its own. */
export interface ScrapyRun {
  readonly pages: number;
  readonly links: number;
  readonly seconds: number;
  /** Seconds of processor time. */
  readonly cpu: number;
  /** Greatest resident size in MB. */
  readonly rss: number;
}

/**
 * Installs Scrapy from PyPI into a virtual environment, and returns its folder.
 *
 * @throws Error in words where Python or PyPI can't be had
 */
export function installScrapy(): Promise<string> {
  return installPython('scrapy', [`scrapy==${VERSION}`]);
}

/** Crawls a site; the pages are lines of JSON in `output`. */
export async function runScrapy(startUrl: string, output: string): Promise<ScrapyRun> {
  const { stdout } = await run(join(await installScrapy(), 'bin', 'python'), [SPIDER, startUrl, output]);
  return JSON.parse(stdout) as ScrapyRun;
}
