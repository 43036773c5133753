import { resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readLines } from '../../../core/files/read-lines.ts';
import type { Invocation } from '../command.ts';

/**
 * The URLs of the file of `--list`, one a line; lines without text and those that begin with # are left out.
 *
 * @throws CrawlhouseError `usage` for a line that is no URL
 */
export async function readUrlList(invocation: Invocation): Promise<string[] | null> {
  const file = invocation.text('list');
  if (file === undefined) return null;
  const usage = (problem: string, cause?: unknown): CrawlhouseError =>
    new CrawlhouseError('usage', `--list ${file}: ${problem}`, { cause, hint: HINT });
  const urls: string[] = [];
  try {
    for await (const { line, number } of readLines(resolve(invocation.workingDirectory, file))) {
      const text = line.replace(/^\uFEFF/, '').trim();
      if (text === '' || text.startsWith('#')) continue;
      const url = URL.parse(text);
      if (url === null || !/^https?:$/.test(url.protocol)) throw usage(`line ${number}: ${text} is no URL`);
      urls.push(url.href);
    }
  } catch (error) {
    throw error instanceof CrawlhouseError ? error : usage('can not be read', error);
  }
  if (urls.length === 0) throw usage('has no URL');
  return urls;
}

const HINT = 'one URL a line: crawlhouse crawl --list urls.txt';
