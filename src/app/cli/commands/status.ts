import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { PublicationFollower } from '../../../etl/engines/publication-follower.ts';
import { isRelativeName } from '../../../etl/project/model/crawl-name.ts';
import { projectSchedules } from '../../../etl/project/settings/schedules.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import { projectNames } from '../../../etl/state/catalog/raw/raw-projects.ts';
import { crawlOf } from '../../../etl/state/catalog/resolve-parameters.ts';
import type { Block } from '../../answers/presentation/blocks.ts';
import { isAlarm, printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import { upcoming } from '../../operations/schedule/next-firing.ts';
import { foundRunBlocks, pastRun, readPublishedRun } from '../../operations/status/past-run-blocks.ts';
import { readStatus, type Status } from '../../operations/status/read-status.ts';
import {
  type FoundUnits,
  findInStatus,
  foundBlocks,
  statusBlocks,
} from '../../operations/status/status-blocks.ts';
import { statusFacts } from '../../operations/status/status-facts.ts';
import { readPublishedUnit, unitBlocks } from '../../operations/status/unit-blocks.ts';
import type { Command, Invocation } from '../command.ts';
import { printDocument } from '../reports/documents.ts';

export const status: Command = {
  name: 'status',
  summary: 'show incidents, failing units, last runs, due units, freshness, next runs, disk use',
  positionals: { shown: '[RUN|UNIT|CRAWL|PROJECT]', most: 1 },
  flags: { watch: { help: 'refresh every two seconds, until Ctrl-C' } },
  async run(invocation) {
    const follower = new PublicationFollower(await invocation.settings(), invocation.logger);
    if (!invocation.has('watch')) {
      await showStatus(invocation, follower);
      return 0;
    }
    if (invocation.has('json'))
      throw new CrawlhouseError('usage', '--watch does not end, but --json prints one document', {
        hint: 'crawlhouse status --json',
      });
    try {
      for (;;) {
        invocation.clear();
        await showStatus(invocation, follower);
        await sleep(WATCH_MS, undefined, { signal: invocation.signal });
      }
    } catch (error) {
      if (!invocation.signal.aborted) throw error;
      return EXIT_CODES.interrupted;
    }
  },
};

/** Interval of `--watch`. */
const WATCH_MS = 2000;

async function showStatus(invocation: Invocation, follower: PublicationFollower): Promise<void> {
  const [wanted] = invocation.positionals;
  const settings = await invocation.settings();
  await follower.tryFollow(invocation.signal);
  const status = await readStatus(settings, Date.now());
  const schedules = upcoming(await projectSchedules(settings.projectDir), Date.now());
  const found = wanted === undefined ? null : await find(await named(wanted, invocation), status, settings);
  if (invocation.has('json')) {
    const incidents = status.incidents.map(({ list: _, ...incident }) => ({
      ...incident,
      opened_at: incident.began,
      message: incident.title,
    }));
    const units = found?.units ?? status.units;
    await printDocument(invocation, 'status', { ...status, incidents, units, schedules });
    return;
  }
  const now = Date.now();
  const blocks =
    found === null
      ? statusBlocks(statusFacts(status, schedules), now)
      : ((await alone(found, status, settings, now)) ?? foundBlocks(found, now));
  const text = printBlocks(blocks, { width: invocation.terminal?.width, indent: 2 });
  // Secrets are masked before the text is cut to the width, because a cut secret would not be recognized.
  await invocation.print(text, isAlarm);
}

/** Returns all details of a single matching run or unit; undefined for several. */
async function alone(
  { runs: [run, otherRun], units: [unit, otherUnit] }: FoundUnits,
  { units }: Status,
  settings: Settings,
  now: number,
): Promise<readonly Block[] | undefined> {
  const place = (): typeof FIRST => FIRST;
  if (run !== undefined && otherRun === undefined && unit === undefined) {
    const facts = await readPublished(settings, (connection) =>
      readPublishedRun(connection, run.run_id, place),
    );
    return foundRunBlocks(pastRun(run, units, facts), facts);
  }
  if (unit === undefined || otherUnit !== undefined || run !== undefined) return undefined;
  const facts = await readPublished(settings, (connection) => readPublishedUnit(connection, unit, place));
  return unitBlocks(unit, facts, now);
}

const FIRST = { limit: 20, offset: 0 };

/** Returns the identifier of a crawl that is given by position or day. */
async function named(wanted: string, invocation: Invocation): Promise<string> {
  if (!isRelativeName(wanted)) return wanted;
  await using warehouse = await openWarehouse(invocation, await invocation.settings());
  return await crawlOf(warehouse, { project: null, crawl: wanted }, invocation.signal);
}

/** @throws CrawlhouseError `usage` if nothing has that name */
async function find(wanted: string, status: Status, settings: Settings): Promise<FoundUnits> {
  const names = (await readPublished(settings, projectNames)) ?? new Map<string, string>();
  const projects = [...names].filter((project) => project.includes(wanted)).map(([id]) => id);
  const found = findInStatus(wanted, projects, status);
  if (projects.length > 0 || found.runs.length > 0 || found.units.length > 0) return found;
  throw new CrawlhouseError('usage', `there is no unit, crawl, project or run ${wanted}`, {
    hint: `${didYouMean(wanted, [...names.values()])}give a unit, a crawl, a project or the first characters of a run; crawlhouse status lists them`,
  });
}
