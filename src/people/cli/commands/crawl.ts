import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { recordFailedCrawl } from '../../../operations/status/record-failed-crawl.ts';
import { readKnownUnits } from '../../../operations/status/remembered.ts';
import { cronProblem } from '../../../project/settings/cron-fields.ts';
import { writeSchedule } from '../../../project/settings/schedules.ts';
import type { Settings } from '../../../project/settings/settings.ts';

import type { Crawl } from '../../../service/api/resources/crawls.ts';
import type { Command, Invocation } from '../command.ts';
import { CRAWL_FLAGS, crawlConfig } from '../local/crawl-config.ts';
import { loadLocal } from '../local/load-local.ts';
import { type ChosenConfig, LocalService } from '../local/local-service.ts';
import { readUrlFile } from '../read-url-file.ts';
import { crawlProgress, describeCrawl, describeFetched, readCrawlReport } from '../reports/crawl-report.ts';
import { printRun } from '../reports/run-report.ts';

const FOLLOWS = '\nThe pages are loaded now; the other answers follow.\n';

export const crawl: Command = {
  name: 'crawl',
  keepsLog: true,
  summary: 'crawl a website without an account, load it and report on it',
  positionals: { shown: '[URL]', most: 1 },
  flags: {
    ...CRAWL_FLAGS,
    schedule: {
      value: 'CRON',
      help: 'crawl it at these times (schedules.yaml, crawlhouse schedule), and not now',
    },
    resume: { help: 'go on with the last crawl that was interrupted; needs no URL' },
  },
  async run(invocation) {
    const { signal, logger } = invocation;
    const settings = await invocation.settings();
    const cron = scheduledAt(invocation);
    const noteFailure = (url: string, error: CrawlhouseError): Promise<void> =>
      recordFailedCrawl(settings, url, error, logger);
    const list = await readUrlFile(invocation, 'list');
    const chosen = invocation.has('resume') ? null : await crawlConfig(invocation, noteFailure, list);
    const allowPrivate = invocation.has('allow-private');
    await using service = await LocalService.start(settings, { allowPrivate, logger });
    if (cron !== undefined && chosen !== null) return await schedule(invocation, service, chosen, cron);
    const begun = await begin(invocation, service, chosen, { settings, list });
    const ended = await service
      .finish(begun.id, (progress) => invocation.progress(crawlProgress(progress)), signal)
      .catch(async (error: unknown) => {
        const url = begun.crawl_config?.start_url;
        if (error instanceof CrawlhouseError && !signal.aborted && url !== undefined)
          await noteFailure(String(url), error);
        throw error;
      });
    if (!invocation.has('json')) {
      await invocation.print(describeFetched(ended, await service.firstFigures(ended)));
      if (invocation.terminal !== null) invocation.say(FOLLOWS);
    }
    const result = await loadLocal(invocation, service, ended.project_id, 'crawl');
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
    throw new CrawlhouseError('usage', `--list ${list}: it goes neither with --schedule nor with --resume`);
  if (cron === undefined) return undefined;
  const problem = invocation.has('resume') ? 'it does not go with --resume' : cronProblem(cron);
  if (problem === undefined) return cron;
  throw new CrawlhouseError('usage', `--schedule ${cron}: ${problem}`, {
    hint: 'minute, hour, day of month, month, day of week: --schedule "0 6 * * 1"',
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
  invocation.say(`schedules.yaml has the schedule ${name}: ${start_url} is crawled at ${cron} (UTC), by:\n`);
  invocation.say('  crawlhouse schedule\n');
  return 0;
}

/** States of a unit of a crawl that was loaded, or is not to be. */
const SETTLED: readonly string[] = ['published', 'refused', 'skipped', 'dropped'];

/** The crawl that was interrupted, or has ended and was not loaded, if there is one, else a new one. */
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
    say(`The crawl of ${url} stays paused. Go on with it: crawlhouse crawl ${url}\n`);
  }
  if (own !== undefined) {
    say(`Going on with the crawl of ${own.crawl_config?.start_url}, with the flags that it began with.\n`);
    return own;
  }
  const known = new Map((await readKnownUnits(settings)).map((one) => [one.unit, one.status]));
  const unloaded = (await service.lastEnded()).find(
    ({ id, project_id }) =>
      (projectId === undefined || project_id === projectId) &&
      !SETTLED.includes(known.get(`crawl_pages/${id}`) ?? ''),
  );
  if (unloaded !== undefined) {
    say(
      `The crawl of ${unloaded.crawl_config?.start_url} has ended and is not loaded yet: it is loaded now.\n`,
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
  throw new CrawlhouseError('usage', '--resume: no crawl was interrupted, and each that ended is loaded', {
    hint: 'crawlhouse crawl URL',
  });
}
