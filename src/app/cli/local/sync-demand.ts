import type { Project } from '../../../client/resources/projects.ts';
import { eachApart } from '../../../core/errors/each-apart.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { AnswerRow } from '../../../site/search-data/search-console/api-table.ts';
import type { SearchConsole } from '../../../site/search-data/search-console/search-console.ts';
import { syncDay, syncMark } from '../../../site/search-data/search-console/sync-day.ts';
import type { Invocation } from '../command.ts';
import type { LocalService } from './local-service.ts';

const DAY = 86_400_000;
/** Days to read again, because even final figures of the last days have been corrected. */
const AGAIN = 3;
/** Number of consecutive failed days that indicates an outage. The other days then wait for the next sync. */
const MOST_IN_A_ROW = 3;
/** The dimensions of a day's rows by URL. */
const DETAIL = 'date, url, query, device';

export interface SyncedDemand {
  /** The first and last day with search results, and their number; null if there are none. */
  readonly span: { readonly from: string; readonly to: string; readonly days: number } | null;
  readonly asked: number;
  readonly changed: number;
  /** Days that keep the rows of an export with more dimensions. */
  readonly kept_days: number;
  readonly rows: number;
  /** Sums of the requested days: of all rows, of those without a query, and of the days themselves. */
  readonly clicks: bigint;
  readonly impressions: bigint;
  readonly unnamed_clicks: bigint;
  readonly unnamed_impressions: bigint;
  readonly total_clicks: bigint;
  readonly total_impressions: bigint;
  /** Days that could not be read or added: the next sync reads them again. */
  readonly failed_days: readonly string[];
  readonly errors: readonly CrawlhouseError[];
}

interface SyncWork {
  readonly service: LocalService;
  readonly console: SearchConsole;
  readonly project: Project;
  readonly property: string;
  /** The number of days that a first sync reads. */
  readonly days: number;
}

/**
 * Reads new days of a property, and the last three days again, latest first. Each day is added as soon as it is
 * read, so an interrupted sync continues where it stopped.
 */
export async function syncDemand(
  invocation: Invocation,
  work: SyncWork,
  now = Date.now(),
): Promise<SyncedDemand> {
  const { service, console, project, property, days } = work;
  const { signal, progress } = invocation;
  const { on_reject: onReject, access_logs: logs } = await invocation.settings();
  const mark = syncMark(property);
  const known = await service.handle.addedDemand(project.id, mark);
  const done = new Set(known.map((hash) => hash.slice(mark.length, mark.length + 10)));
  const totals = await totalsOf(console, property, lastDays(days, now), signal);
  const all = [...totals.keys()].sort().reverse();
  const due = all.filter((day, place) => place < AGAIN || !done.has(day));
  const [last, first] = [all[0], all.at(-1)];
  const sums = { ...NOTHING };
  const failed_days: string[] = [];
  const errors: CrawlhouseError[] = [];
  let inARow = 0;
  await eachApart(
    due.entries(),
    async ([index, day]) => {
      if (inARow === MOST_IN_A_ROW) return;
      progress(`reading ${property}: ${day}, day ${index + 1} of ${due.length}`);
      const total = totals.get(day) ?? { clicks: 0, impressions: 0 };
      const source = await syncDay(console, { property, day, total }, signal);
      add(sums, await service.handle.addDemand(project.id, { source, onReject, hosts: logs.hosts }, signal));
      inARow = 0;
    },
    (error, [, day]) => {
      const { code, message, hint } = error;
      failed_days.push(day);
      errors.push(new CrawlhouseError(code, `${property}, ${day}: ${message}`, { hint, cause: error }));
      // All other days would fail, too.
      inARow = error.kind === 'access' || error.code === 'quota' ? MOST_IN_A_ROW : inARow + 1;
    },
    signal,
  );
  const span = first === undefined || last === undefined ? null : { from: first, to: last, days: all.length };
  return { ...sums, span, failed_days, errors };
}

type Sums = {
  -readonly [K in keyof Omit<SyncedDemand, 'span' | 'failed_days' | 'errors'>]: SyncedDemand[K];
};
const NOTHING: Sums = {
  asked: 0,
  changed: 0,
  kept_days: 0,
  rows: 0,
  clicks: 0n,
  impressions: 0n,
  unnamed_clicks: 0n,
  unnamed_impressions: 0n,
  total_clicks: 0n,
  total_impressions: 0n,
};

function add(sums: Sums, added: Awaited<ReturnType<LocalService['handle']['addDemand']>>): void {
  const detail = added.sums.find(({ by }) => by === DETAIL);
  const total = added.sums.find(({ by }) => by === 'date');
  sums.asked += 1;
  if (added.status === 'added') sums.changed += 1;
  sums.kept_days += added.kept_days;
  sums.rows += Number(detail?.rows ?? 0);
  sums.clicks += detail?.clicks ?? 0n;
  sums.impressions += detail?.impressions ?? 0n;
  sums.unnamed_clicks += detail?.anonymized_clicks ?? 0n;
  sums.unnamed_impressions += detail?.anonymized_impressions ?? 0n;
  sums.total_clicks += total?.clicks ?? 0n;
  sums.total_impressions += total?.impressions ?? 0n;
}

/** Returns the span of the last days, in Pacific time. */
export function lastDays(days: number, now: number): DaySpan {
  return { from: dayOf(now - days * DAY), to: dayOf(now) };
}

interface DaySpan {
  readonly from: string;
  readonly to: string;
}

/** Returns the total of each day that has search results with final figures. */
export async function totalsOf(
  console: SearchConsole,
  property: string,
  { from, to }: DaySpan,
  signal: AbortSignal,
): Promise<Map<string, AnswerRow>> {
  const found = new Map<string, AnswerRow>();
  for await (const page of console.rows({ property, from, to }, ['date'], signal))
    for (const row of page) found.set(String(row.keys?.[0]), row);
  return found;
}

/** Returns the day in Pacific time, as Search Console counts. */
function dayOf(time: number): string {
  return new Date(time).toLocaleDateString('en-CA', { timeZone: 'America/Los_Angeles' });
}
