import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import type { BotList } from './bot-list.ts';

/**
 * Returns the list of ranges for a crawler's name. Ignores letter case.
 *
 * @throws CrawlhouseError `usage` for an unknown crawler
 */
export function listOfCrawler(name: string, list: BotList): string {
  const crawlers = list.bots.map(({ crawler }) => crawler);
  const crawler = crawlers.find((crawler) => crawler.toLowerCase() === name.toLowerCase());
  if (crawler === undefined) {
    throw new CrawlhouseError('usage', `--crawler: ${name} is not a known crawler`, {
      hint: `${didYouMean(name, crawlers)}crawlhouse logs bots lists them; add others to sql/seeds/bots.csv`,
    });
  }
  const [own = crawler, ...more] = list.rangeListsOf(crawler);
  if (more.length === 0) return own;
  throw new CrawlhouseError('usage', `--crawler: ${crawler} has the lists ${[own, ...more].join(', ')}`, {
    hint: 'omit --crawler, and name the file after one of the lists: LIST.json',
  });
}

/**
 * Returns the list of ranges that a file is for: the one from its address, else the one of its name or of the name of
 * the operator's file.
 *
 * @param file a path or an address
 * @throws CrawlhouseError `usage` if no list has the name
 */
export function listOfFile(file: string, list: BotList): string {
  const name = baseName(file);
  const address = file.replace(/[?#].*$/, '');
  const known = new Map<string, string>();
  for (const { range_list, source } of list.ranges) {
    if (source === address) return range_list;
    known.set(range_list.toLowerCase(), range_list);
    const own = source === null ? '' : baseName(source);
    if (/\.(json|txt|csv)$/i.test(source ?? '') && !ANYBODYS.includes(own)) known.set(own, range_list);
  }
  const found = known.get(name);
  if (found !== undefined) return found;
  throw new CrawlhouseError('usage', `${file}: there is no list of ranges ${name}`, {
    hint: `set its crawler with --crawler NAME; the lists: ${[...new Set(known.values())].sort().join(', ')}`,
  });
}

/** File names that do not tell the operator. */
const ANYBODYS: readonly string[] = ['bot', 'bots', 'crawlers', 'ips', 'ranges'];

/** `gptbot` of https://openai.com/gptbot.json. */
function baseName(file: string): string {
  const path = file.replace(/[?#].*$/, '');
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return last.replace(/\.(json|txt|csv|ips)$/i, '').toLowerCase();
}
