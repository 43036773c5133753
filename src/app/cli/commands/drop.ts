import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { drop as dropUnits, planDrop } from '../../../etl/pipeline/drop.ts';
import { isRelativeName } from '../../../etl/project/model/crawl-name.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import type { DroppedUnit, DropRequest } from '../../../etl/state/catalog/drop-targets.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import { projectNames, projectText } from '../../../etl/state/catalog/raw/raw-projects.ts';
import { crawlOf } from '../../../etl/state/catalog/resolve-parameters.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import { dropTable } from '../../operations/status/plan-blocks.ts';
import type { Command, Invocation } from '../command.ts';
import { Questions } from '../dialogue.ts';
import { failureOf } from '../print-error.ts';
import { printErrors } from '../reports/run-report.ts';

export const drop: Command = {
  name: 'drop',
  keepsLog: true,
  summary: 'drop data from the warehouse; no run loads it again until you request it',
  positionals: { shown: '--crawl ID… | --project P…', most: 0 },
  flags: {
    crawl: {
      multiple: true,
      value: 'ID',
      help: 'all data of this crawl: ID, latest, previous, -N or the day on which it ended',
    },
    project: { multiple: true, value: 'P', help: 'all data of this project, by id or name' },
    dataset: { multiple: true, value: 'D', help: 'only from this dataset' },
    plan: { help: 'only print the units that would be dropped' },
    yes: { help: 'drop without asking, for scripts' },
  },
  async run(invocation) {
    const asked = {
      crawls: invocation.texts('crawl'),
      projects: invocation.texts('project'),
      datasets: invocation.texts('dataset'),
    };
    if (asked.crawls.length === 0 && asked.projects.length === 0) {
      throw new CrawlhouseError('usage', 'name the crawls or projects to drop', {
        hint: 'crawlhouse drop --crawl ID, or --project NAME; --plan prints the units',
      });
    }
    const settings = await invocation.settings();
    const request = { ...asked, crawls: await identifiers(invocation, settings, asked) };
    const names = (await readPublished(settings, projectNames)) ?? new Map<string, string>();
    if (invocation.has('plan')) {
      const units = await planDrop(settings, request);
      await print(invocation, { units, names }, { units, totals: totalsOf(units) }, 'would be dropped');
      return 0;
    }
    if (!invocation.has('yes') && !(await confirmed(invocation, await planDrop(settings, request), names)))
      return 0;
    const { result, dropped } = await dropUnits(settings, request, invocation.logger, invocation.signal);
    await print(
      invocation,
      { units: dropped, names },
      { ...result.report, dropped, error: failureOf(result.errors, result.exitCode) },
      'dropped',
    );
    return printErrors(invocation, result);
  },
};

/** Returns the identifiers of crawls that are given by position or day. */
async function identifiers(
  invocation: Invocation,
  settings: Settings,
  { crawls, projects }: DropRequest,
): Promise<readonly string[]> {
  const relative = crawls.find(isRelativeName);
  if (relative === undefined) return crawls;
  const [project] = projects;
  if (project !== undefined)
    throw new CrawlhouseError('usage', `--project ${project} drops more than the crawl ${relative}`, {
      hint: 'specify the crawl by its identifier, or use only --project to drop the project',
    });
  await using warehouse = await openWarehouse(invocation, settings);
  const ids: string[] = [];
  warehouse.say = (note) => {
    throw new CrawlhouseError('usage', note, { hint: 'specify the crawl to drop by its identifier' });
  };
  for (const crawl of crawls) ids.push(await crawlOf(warehouse, { project: null, crawl }, invocation.signal));
  return ids;
}

/** @throws CrawlhouseError `usage` without a terminal to ask on */
async function confirmed(
  { person, say, signal }: Invocation,
  units: readonly DroppedUnit[],
  names: ReadonlyMap<string, string>,
): Promise<boolean> {
  if (units.length === 0) return true;
  const totals = totalsText(units);
  if (person === null)
    throw new CrawlhouseError('usage', `there is no terminal to confirm the drop of ${totals}`, {
      hint: 'add --yes to drop them, or --plan to list them',
    });
  say(unitsTable(units, names));
  using questions = new Questions(person, signal);
  const answer = await questions.ask(`Drop ${totals} from the warehouse? yes or no`, (text) =>
    /^(yes|no)$/i.test(text) ? undefined : 'yes or no is expected',
  );
  const isYes = answer.toLowerCase() === 'yes';
  if (!isYes) say('Nothing was dropped.\n');
  return isYes;
}

async function print(
  invocation: Invocation,
  { units, names }: { readonly units: readonly DroppedUnit[]; readonly names: ReadonlyMap<string, string> },
  document: object,
  word: string,
): Promise<void> {
  if (invocation.has('json')) {
    await invocation.printJson(document);
    return;
  }
  await invocation.print(`${unitsTable(units, names)}${totalsText(units)} ${word}\n`);
}

function unitsTable(units: readonly DroppedUnit[], names: ReadonlyMap<string, string>): string {
  const rows = units.map(({ unit, source: { project_id: id }, rows: own }) => ({
    unit,
    rows: own,
    project_name: id === null ? null : projectText(id, names),
  }));
  return printBlocks([dropTable(rows)]);
}

function totalsText(units: readonly DroppedUnit[]): string {
  return `${counted(units.length, 'unit')} with ${counted(totalsOf(units).rows, 'row')}`;
}

function totalsOf(units: readonly DroppedUnit[]): { units: number; rows: number } {
  return { units: units.length, rows: units.reduce((all, one) => all + (one.rows ?? 0), 0) };
}
