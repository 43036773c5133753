import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import type { BotList } from './bot-list.ts';

/**
 * The list of ranges that a crawler has, by its name in any case.
 *
 * @throws CrawlhouseError `usage` for a crawler that is not known
 */
export function listOfCrawler(name: string, list: BotList): string {
  const crawlers = list.bots.map(({ crawler }) => crawler);
  const crawler = crawlers.find((one) => one.toLowerCase() === name.toLowerCase());
  if (crawler === undefined) {
    throw new CrawlhouseError('usage', `--crawler: ${name} is no known crawler`, {
      hint: `${didYouMean(name, crawlers)}crawlhouse logs bots lists them; sql/seeds/bots.csv takes others`,
    });
  }
  const [own = crawler, ...more] = list.rangeListsOf(crawler);
  if (more.length === 0) return own;
  throw new CrawlhouseError('usage', `--crawler: ${crawler} has the lists ${[own, ...more].join(', ')}`, {
    hint: 'leave --crawler out, and name the file as one of the lists: LIST.json',
  });
}

/**
 * The list of ranges that a file is for: the one from its address, else the one of its name or of the name of the
 * operator's file.
 *
 * @param file a path or an address
 * @throws CrawlhouseError `usage` where no list has the name
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
  throw new CrawlhouseError('usage', `${file}: no list of ranges is named ${name}`, {
    hint: `--crawler NAME says whose it is; the lists: ${[...new Set(known.values())].sort().join(', ')}`,
  });
}

/** Names of files that say nothing of whose they are. */
const ANYBODYS: readonly string[] = ['bot', 'bots', 'crawlers', 'ips', 'ranges'];

/** `gptbot` of https://openai.com/gptbot.json. */
function baseName(file: string): string {
  const path = file.replace(/[?#].*$/, '');
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return last.replace(/\.(json|txt|csv|ips)$/i, '').toLowerCase();
}
