import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { CRAWL_DATA_TYPES, type CrawlDataType } from '../../../client/resources/fields.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { calendarDay } from '../../../core/time/calendar-day.ts';

const LOG_TYPES = ['events', 'log_pages_days', 'log_pages_weeks', 'log_pages_months'] as const;
/** Data types of a project rather than of a crawl. */
const PROJECT_TYPES = [...LOG_TYPES, 'ranking_performance'] as const;
type ProjectDataType = (typeof PROJECT_TYPES)[number];

/** The contents of a folder, by its file names alone. */
export interface FolderPlan {
  readonly dir: string;
  readonly projectName: string;
  /** `YYYY-MM-DD`, from the folder's name. */
  readonly date: string | undefined;
  readonly crawlTypes: readonly CrawlDataType[];
  readonly projectTypes: readonly ProjectDataType[];
  readonly hasLogs: boolean;
  readonly hasRanking: boolean;
  readonly crawlFile: string | undefined;
  /** Changes when a file of the folder changes. */
  readonly fingerprint: string;
}

/** @throws CrawlhouseError `usage` if it is not a folder or contains nothing to import */
export function planFolder(given: string): FolderPlan {
  const dir = resolve(given);
  if (!existsSync(dir) || !statSync(dir).isDirectory()) {
    throw new CrawlhouseError('usage', `${given} is not a folder`, {
      hint: 'import a folder that contains <data_type>.jsonl and <data_type>.fields.json',
    });
  }
  const files = readdirSync(dir).sort();
  const has = (type: string): boolean =>
    files.includes(`${type}.jsonl`) || files.includes(`${type}.fields.json`);
  const [, name, date] = /^(.+)-(\d{4}-\d{2}-\d{2})$/.exec(basename(dir)) ?? [
    undefined,
    basename(dir),
    undefined,
  ];
  if (date !== undefined && calendarDay(date) === null) {
    throw new CrawlhouseError('usage', `${dir}: ${date} is not a date`, {
      hint: 'name the folder <project>-YYYY-MM-DD',
    });
  }
  const plan: FolderPlan = {
    dir,
    projectName: name ?? basename(dir),
    date,
    crawlTypes: CRAWL_DATA_TYPES.filter(has),
    projectTypes: PROJECT_TYPES.filter(has),
    hasLogs: LOG_TYPES.some(has),
    hasRanking: has('ranking_performance'),
    crawlFile: files.includes('crawl.json') ? join(dir, 'crawl.json') : undefined,
    fingerprint: fingerprint(dir, files),
  };
  if (plan.crawlTypes.length + plan.projectTypes.length === 0 && plan.crawlFile === undefined) {
    const types = [...CRAWL_DATA_TYPES, ...PROJECT_TYPES].join(', ');
    throw new CrawlhouseError('usage', `${given} contains nothing to import`, {
      hint: `files are named <data_type>.jsonl and <data_type>.fields.json, for ${types}`,
    });
  }
  return plan;
}

function fingerprint(dir: string, files: readonly string[]): string {
  const seen = files.map((file) => {
    const { size, mtimeMs } = statSync(join(dir, file));
    return [file, size, mtimeMs];
  });
  return hash('sha256', JSON.stringify(seen));
}
