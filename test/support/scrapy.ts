import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const VERSION = '2.19.0';
/** Installed once for a clone, as the servers are. */
const FOLDER = join(
  import.meta.dirname,
  '../../node_modules/.cache/crawlhouse/scrapy',
  `${VERSION}-${process.platform}`,
);
const SPIDER = join(import.meta.dirname, 'site-spider.py');
const INSTALL_MS = 300_000;

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
 * Installs Scrapy from PyPI into a virtual environment.
 *
 * @throws Error in words where Python or PyPI can't be had
 */
export async function installScrapy(): Promise<void> {
  if (existsSync(join(FOLDER, 'bin', 'scrapy'))) return;
  try {
    await run('python3', ['-m', 'venv', '--clear', FOLDER], { timeout: INSTALL_MS });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `scrapy==${VERSION}`];
    await run(join(FOLDER, 'bin', 'python'), pip, { timeout: INSTALL_MS });
  } catch (cause) {
    await rm(FOLDER, { recursive: true, force: true });
    const { stderr, message } = cause as { stderr?: string; message: string };
    throw new Error(
      `can't install ${SCRAPY} with python3, venv and PyPI: ${(stderr || message).trim().slice(-500)}`,
      { cause },
    );
  }
}

/** Crawls a site; the pages are lines of JSON in `output`. */
export async function runScrapy(startUrl: string, output: string): Promise<ScrapyRun> {
  const { stdout } = await run(join(FOLDER, 'bin', 'python'), [SPIDER, startUrl, output]);
  return JSON.parse(stdout) as ScrapyRun;
}
