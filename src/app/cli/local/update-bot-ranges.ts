import { createReadStream, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { csvCell } from '../../../core/text/csv-cell.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import { loadSeed } from '../../../etl/project/sql/models/load-models.ts';
import { SHIPPED_SQL, sqlFolder } from '../../../etl/project/sql/models/sql-folders.ts';
import { type BotList, BotRange } from '../../../site/access-logs/bots/bot-list.ts';
import { boundedText, fetchRangeFile } from '../../../site/access-logs/bots/fetch-range-file.ts';
import { listOfCrawler, listOfFile } from '../../../site/access-logs/bots/list-of-file.ts';
import { parseRangeFile } from '../../../site/access-logs/bots/parse-range-file.ts';

const COLUMNS = ['range_list', 'prefix', 'source', 'published', 'copied_from'] as const;

export interface RangeUpdate {
  /** Paths or https addresses. */
  readonly files: readonly string[];
  /** The crawler of all files; without it, the name of each file decides. */
  readonly crawler: string | undefined;
  readonly projectDir: string;
  readonly workingDirectory: string;
  readonly today: string;
}

export interface UpdatedList {
  readonly range_list: string;
  readonly ranges: number;
  /** Number of ranges before the update. */
  readonly ranges_before: number;
  readonly published: string;
}

/**
 * Reads files of operators and writes their ranges to the project's `sql/seeds/bot_ranges.csv`, replacing its ranges of
 * the same lists. All files are read and checked before anything is written.
 *
 * @returns the file, and its updated lists
 * @throws CrawlhouseError `usage` for a file with unexpected contents, or retriable `connection`
 */
export async function updateBotRanges(
  update: RangeUpdate,
  list: BotList,
  signal: AbortSignal,
): Promise<{ readonly file: string; readonly lists: readonly UpdatedList[] }> {
  const fresh = new Map<string, BotRange[]>();
  for (const file of update.files) {
    const name = update.crawler === undefined ? listOfFile(file, list) : listOfCrawler(update.crawler, list);
    const rows = await rangesOf(file, name, update, signal);
    const known = new Set(fresh.get(name)?.map(({ prefix }) => prefix));
    fresh.set(name, [...(fresh.get(name) ?? []), ...rows.filter(({ prefix }) => !known.has(prefix))]);
  }
  const own = sqlFolder(join(update.projectDir, 'sql'));
  const file = join(own.path, 'seeds', 'bot_ranges.csv');
  // The project's current rows. An unreadable file is an error, and stays unchanged.
  const kept = existsSync(own.path) ? await loadSeed([SHIPPED_SQL], 'bot_ranges', [own]) : [];
  const others = typedRows(BotRange, kept).filter(({ range_list }) => !fresh.has(range_list));
  makeFolder(dirname(file));
  await writeFileAtomic(file, csvOf([...others, ...[...fresh.values()].flat()]));
  const before = Map.groupBy(list.ranges, ({ range_list }) => range_list);
  const lists = [...fresh].map(([range_list, rows]) => ({
    range_list,
    ranges: rows.length,
    ranges_before: before.get(range_list)?.length ?? 0,
    published: rows.map(({ published }) => published ?? '').sort()[0] ?? '',
  }));
  return { file, lists };
}

async function rangesOf(
  file: string,
  range_list: string,
  { workingDirectory, today }: RangeUpdate,
  signal: AbortSignal,
): Promise<BotRange[]> {
  const isAddress = /^[a-z][a-z0-9+.-]+:\/\//i.test(file);
  const content = isAddress
    ? await fetchRangeFile(file, signal)
    : await readRangeFile(resolve(workingDirectory, file), file, signal);
  const { prefixes, published } = parseRangeFile(content, file);
  // A query may contain a key.
  const source = file.replace(/[?#].*$/, '');
  const day = published ?? today;
  return prefixes.map((prefix) => ({ range_list, prefix, source, published: day, copied_from: null }));
}

async function readRangeFile(path: string, shown: string, signal: AbortSignal): Promise<string> {
  try {
    // The file may be a pipe.
    return await boundedText(createReadStream(path, { signal }), shown);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof CrawlhouseError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : 'cannot be read';
    throw new CrawlhouseError('usage', `${shown} ${problem}`, {
      cause,
      hint: 'a path or an https address: crawlhouse logs bots update gptbot.json',
    });
  }
}

function csvOf(rows: readonly BotRange[]): string {
  const lines = rows.map((row) =>
    COLUMNS.map((column) => (row[column] ? csvCell(row[column]) : '')).join(','),
  );
  return `${[COLUMNS.join(','), ...lines].join('\n')}\n`;
}
