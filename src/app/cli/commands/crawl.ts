import type { Crawl } from '../../../client/resources/crawls.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { writeSchedule } from '../../../etl/project/settings/change-schedules.ts';
import { cronProblem } from '../../../etl/project/settings/cron-fields.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import type { FetchProgress } from '../../../site/crawler/progress-reporter.ts';
import type { ChosenConfig } from '../../operations/crawls/site-settings.ts';
import { LiveCrawlFile } from '../../operations/status/live-crawl.ts';
import { recordFailedCrawl } from '../../operations/status/record-failed-crawl.ts';
import { readKnownUnits } from '../../operations/status/remembered.ts';
import type { Command, Invocation } from '../command.ts';
import { CRAWL_FLAGS, crawlConfig } from '../local/crawl-config.ts';
import { loadLocal } from '../local/load-local.ts';
import { LocalService } from '../local/local-service.ts';
import { readUrlFile } from '../read-url-file.ts';
import { crawlProgress, describeCrawl, describeFetched, readCrawlReport } from '../reports/crawl-report.ts';
import { printRun } from '../reports/run-report.ts';

const FOLLOWS = '\nThe pages are loaded. The analysis follows.\n';

export const crawl: Command = {
  name: 'crawl',
  keepsLog: true,
  summary: 'crawl a website without an account, load the crawl and report on it',
  positionals: { shown: '[URL]', most: 1 },
  flags: {
    ...CRAWL_FLAGS,
    schedule: {
      value: 'CRON',
      help: 'crawl the website at these times (schedules.yaml, crawlhouse schedule) instead of now',
    },
    resume: { help: 'continue the last interrupted crawl; needs no URL' },
    finish: { help: 'with --resume: end the interrupted crawl now, and load what it fetched' },
  },
  async run(invocation) {
    const { signal, logger } = invocation;
    const settings = await invocation.settings();
    const cron = scheduledAt(invocation);
    const noteFailure = (url: string, error: CrawlhouseError): Promise<void> =>
      recordFailedCrawl(settings, url, error, logger);
    const list = await readUrlFile(invocation, 'list');
    const chosen = invocation.has('resume') ? null : await crawlConfig(invocation, noteFailure, list);
    const [allowPrivate, publicOnly] = [invocation.has('allow-private'), invocation.has('public-only')];
    await using service = await LocalService.start(settings, { allowPrivate, publicOnly, logger });
    if (cron !== undefined && chosen !== null) return await schedule(invocation, service, chosen, cron);
    const begun = await begin(invocation, service, chosen, { settings, list });
    const live = new LiveCrawlFile(settings, begun);
    const show = (progress: FetchProgress | undefined): void => {
      live.show(progress);
      invocation.progress(crawlProgress(progress));
    };
    const ended = await service
      .finish(begun.id, show, signal, invocation.has('finish'))
      .catch(async (error: unknown) => {
        const url = begun.crawl_config?.start_url;
        if (error instanceof CrawlhouseError && !signal.aborted && url !== undefined)
          await noteFailure(String(url), error);
        // The first error is reported; a crawl that cannot be asked for stays resumable.
        const left = await service.unfinished().catch(() => [begun]);
        const state = left.some(({ id }) => id === begun.id) ? 'paused' : 'failed';
        live.change({ state, problem: signal.aborted ? null : toCrawlhouseError(error).message });
        throw error;
      });
    live.change({ phase: 'load' });
    if (!invocation.has('json')) {
      await invocation.print(describeFetched(ended, await service.firstFigures(ended)));
      if (invocation.terminal !== null) invocation.say(FOLLOWS);
    }
    const result = await loadLocal(invocation, service, ended.project_id, 'crawl');
    const problem = signal.aborted ? null : (result.errors[0]?.message ?? null);
    live.change({ state: result.exitCode !== 0 && signal.aborted ? 'paused' : 'ended', problem });
    if (result.exitCode !== 0) return printRun(invocation, settings, result);
    const report = await readCrawlReport(invocation, settings, ended);
    if (invocation.has('json')) await invocation.printJson(report);
    else await invocation.print(describeCrawl(report));
    return 0;
  },
};

function scheduledAt(invocation: Invocation): string | undefined {
  const cron = invocation.text('schedule');
  const list = invocation.text('list');
  if (list !== undefined && (cron !== undefined || invocation.has('resume')))
    throw new CrawlhouseError('usage', `--list ${list}: not possible with --schedule or --resume`);
  if (invocation.has('finish') && !invocation.has('resume'))
    throw new CrawlhouseError('usage', '--finish: only possible with --resume');
  if (cron === undefined) return undefined;
  const problem = invocation.has('resume') ? 'not possible with --resume' : cronProblem(cron);
  if (problem === undefined) return cron;
  throw new CrawlhouseError('usage', `--schedule ${cron}: ${problem}`, {
    hint: 'specify minute, hour, day of month, month and day of week, such as --schedule "0 6 * * 1"',
  });
}

async function schedule(
  invocation: Invocation,
  service: LocalService,
  chosen: ChosenConfig,
  cron: string,
): Promise<number> {
  const { projectDir } = await invocation.settings();
  const { start_url } = chosen.config;
  await service.configure(await service.project(start_url), chosen);
  const name = `crawl-${new URL(start_url).host.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
  const allowed = invocation.has('allow-private') ? { allow_private: true } : {};
  await writeSchedule(projectDir, { name, cron, crawl: start_url, ...allowed });
  invocation.say(`schedules.yaml has the schedule ${name}: ${start_url} is crawled at ${cron} (UTC) by:\n`);
  invocation.say('  crawlhouse schedule\n');
  return 0;
}

/** Final states of a unit of a crawl: it is loaded, or will not be. */
const SETTLED: readonly string[] = ['published', 'refused', 'skipped', 'dropped'];

/** Returns the interrupted crawl, or the one that ended and is not loaded, or else a new one. */
async function begin(
  invocation: Invocation,
  service: LocalService,
  chosen: ChosenConfig | null,
  { settings, list }: { readonly settings: Settings; readonly list: readonly string[] | null },
): Promise<Crawl> {
  const { say, signal } = invocation;
  const projectId = chosen === null ? undefined : await service.project(chosen.config.start_url);
  const unfinished = await service.unfinished();
  const own = unfinished.find(({ project_id }) => projectId === undefined || project_id === projectId);
  for (const other of unfinished.filter((one) => one !== own)) {
    const url = other.crawl_config?.start_url;
    say(`The crawl of ${url} stays paused. Continue it: crawlhouse crawl ${url}\n`);
  }
  if (own !== undefined) {
    say(`Continuing the crawl of ${own.crawl_config?.start_url} with its original flags.\n`);
    return own;
  }
  const known = new Map((await readKnownUnits(settings)).map((unit) => [unit.unit, unit.status]));
  const unloaded = (await service.lastEnded()).find(
    ({ id, project_id }) =>
      (projectId === undefined || project_id === projectId) &&
      !SETTLED.includes(known.get(`crawl_pages/${id}`) ?? ''),
  );
  if (unloaded !== undefined) {
    say(
      `The crawl of ${unloaded.crawl_config?.start_url} has ended but is not loaded yet. Loading it now.\n`,
    );
    return unloaded;
  }
  if (chosen !== null && projectId !== undefined) {
    const configured =
      list === null
        ? service.configure(projectId, chosen)
        : service.configureList(projectId, chosen, list, signal);
    return service.launch(projectId, await configured);
  }
  throw new CrawlhouseError(
    'usage',
    '--resume: there is no interrupted crawl, and every ended crawl is loaded',
    { hint: 'crawlhouse crawl URL' },
  );
}
