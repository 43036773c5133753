import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readingRules } from '../../../src/app/cli/local/add-logs.ts';
import { logSources, namedLogs } from '../../../src/app/cli/local/log-sources.ts';
import { LogRules } from '../../../src/core/logs/log-rules.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { AddedLogs, type LogsToAdd } from '../../../src/service/logs/added-logs.ts';
import { Resources } from '../../../src/service/resources/resources.ts';
import { ensureProject } from '../../../src/service/resources/seed.ts';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { BotList } from '../../../src/site/access-logs/bots/bot-list.ts';
import type { LogFileReport } from '../../../src/site/access-logs/log-report.ts';
import { temporaryFolder } from '../../support/temporary.ts';

export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const BOTS = new BotList({
  bots: [
    {
      token: 'Googlebot',
      crawler: 'Googlebot',
      bot_class: 'search',
      engine: 'google',
      purpose: 'pages',
      reference: null,
      found_in: null,
      read_on: null,
    },
  ],
  checks: [],
  ranges: [
    { range_list: 'Googlebot', prefix: '66.249.64.0/19', source: null, published: null, copied_from: null },
  ],
});

interface Line {
  readonly at?: string;
  readonly url?: string;
  readonly status?: string;
  readonly agent?: string;
  readonly address?: string;
  readonly referer?: string;
}

export function line({
  at = '23/Nov/2026:10:00:00 +0000',
  url = '/',
  status = '200',
  ...more
}: Line = {}): string {
  const { agent = 'Mozilla/5.0 Firefox/140.0', address = '203.0.113.9', referer = '-' } = more;
  return `${address} - - [${at}] "GET ${url} HTTP/1.1" ${status} 512 "${referer}" "${agent}"\n`;
}

/** A project, with what a test does to its logs. */
export async function openLogs() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'var'));
  const resources = new Resources(join(folder, 'service.sqlite'));
  const rows = await ServiceRows.open(folder);
  onTestFinished(async () => {
    await rows[Symbol.asyncDispose]();
    resources[Symbol.dispose]();
  });
  const project = ensureProject(resources, { name: 'shop', startUrl: 'https://www.shop.example/' });
  const clock = { now: () => Date.now() };
  const logs = new AddedLogs({ resources, rows, clock, stateDir: folder });
  const path = (name: string): string => join(folder, 'var', name);
  return {
    logs,
    path,
    project,
    resources,
    rows,
    /** Sets the clock to a time (UTC). */
    at(time: string): void {
      clock.now = () => Date.parse(time);
    },
    async add(
      names: readonly string[],
      {
        again = false,
        confirm,
        ...rules
      }: Partial<LogRules> & Partial<Pick<LogsToAdd, 'again' | 'confirm'>> = {},
      onReject?: 'fail' | 'quarantine',
      signal = new AbortController().signal,
    ) {
      const files: LogFileReport[] = [];
      const place = { settings: { state_dir: folder } as Settings, folder: join(folder, 'var') };
      const bots = await logs.add(
        {
          projectId: project.id,
          sources: logSources(names, place, signal),
          rules: readingRules(LogRules.parse(rules), onReject),
          again,
          confirm,
          bots: { list: BOTS },
          onFile: (report) => void files.push(report),
        },
        signal,
      );
      return { files, bots };
    },
    /** Takes files out again; one that is not there is named by its path. */
    async remove(names: readonly string[], isDryRun = false, signal = new AbortController().signal) {
      const place = { settings: { state_dir: folder } as Settings, folder: join(folder, 'var') };
      const files = namedLogs(names, place, signal);
      return await logs.remove({ projectId: project.id, files, isDryRun }, signal);
    },
    /** Values of the events by the names of fields. */
    async events(...names: string[]): Promise<unknown[][]> {
      const dataset = resources.dataset(project.id, 'events');
      const ids = names.map((name) => dataset?.columns.find(({ field }) => field.name === name)?.id);
      return rows.use(async (connection) => {
        const sql = `SELECT ${ids.join(', ')} FROM ${ServiceRows.table(String(dataset?.table))} ORDER BY rowid`;
        return (await connection.jsonRows(sql)).map((row) => Object.values(row));
      });
    },
    async pages(granularity: 'days' | 'weeks' | 'months'): Promise<unknown[]> {
      const table = ServiceRows.table(`log_pages_${granularity}_${project.id}`);
      return rows.use((connection) => connection.jsonRows(`SELECT * FROM ${table} ORDER BY ALL`));
    },
  };
}

/** Writes a file that nobody has written to for long. */
export async function long(path: string, text: string | Buffer): Promise<void> {
  await writeFile(path, text);
  await utimes(path, 1, 1);
}
