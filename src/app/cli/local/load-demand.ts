import type { Project } from '../../../client/resources/projects.ts';
import { eachApart } from '../../../core/errors/each-apart.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { exitCodeOf } from '../../../etl/project/model/runs/run-result.ts';
import { loadPipelines } from '../../../etl/project/settings/pipelines.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../etl/project/sql/questions/questions.ts';
import type { UnderstoodDemand } from '../../../service/ranking/add-demand.ts';
import type { Replaced } from '../../../service/ranking/replaced-demand.ts';
import { type DemandExport, isDetailed } from '../../../site/search-data/demand-row.ts';
import type { Invocation } from '../command.ts';
import { failureOf, printError } from '../print-error.ts';
import {
  type DemandOutcome,
  demandDocument,
  describeDemand,
  replacedText,
} from '../reports/demand-report.ts';
import { describeUnderstood, hasGuess, isAgreed, type Understood } from '../reports/understood.ts';
import { understoodDemand } from '../reports/understood-demand.ts';
import { endLoad } from './end-load.ts';
import { loadLocal } from './load-local.ts';
import type { LocalService } from './local-service.ts';
import { unloadedDays, unloadedText } from './unloaded-days.ts';

/** Columns that the pipeline must load, because totals would otherwise count as search results of their last day. */
const OF_TOTALS = ['period_days', 'totals_by', 'search_engine'];

/**
 * Adds exports to the project's ranking performance. Shows how it interprets each export before storing it. A refused
 * export does not affect the others.
 *
 * @throws CrawlhouseError `bad_pipeline` if the pipeline does not distinguish totals
 */
export async function addExports(
  invocation: Invocation,
  service: LocalService,
  project: Project,
  exports: readonly DemandExport[],
): Promise<DemandOutcome[]> {
  const { projectDir, on_reject: onReject, access_logs: logs } = await invocation.settings();
  const hosts = [...logs.hosts, ...invocation.texts('host')];
  const isDry = invocation.has('dry-run');
  if (exports.some(({ tables }) => tables.some(({ dimensions }) => !isDetailed(dimensions))))
    await refuseMixing(projectDir);
  const outcomes: DemandOutcome[] = [];
  await eachApart(
    exports,
    async (source) => {
      invocation.progress(`reading ${source.files.join(', ')}`);
      const replaced: Replaced[] = [];
      const onReplace = (one: Replaced): void => {
        replaced.push(one);
        if (!isDry) for (const sentence of replacedText(one)) invocation.say(`${sentence}\n`);
      };
      let understood: Understood | null = null;
      const agree = async (meaning: UnderstoodDemand): Promise<boolean> => {
        const place = { site: String(project.start_url), folder: invocation.workingDirectory };
        understood = understoodDemand(source, meaning, place);
        if (!isDry) invocation.say(`${describeUnderstood([understood])}\n`);
        if (isDry || !hasGuess([understood])) return !isDry;
        return await isAgreed(invocation.person, 'Add it?', invocation.signal);
      };
      const work = { source, onReject, hosts, keep: invocation.has('keep'), onReplace, agree };
      const added = await service.handle.addDemand(project.id, work, invocation.signal);
      const error = added.status === 'planned' && !isDry ? notAgreed(source) : null;
      outcomes.push({ source, added, understood, replaced: replaced[0] ?? null, error });
    },
    (error, source) => outcomes.push({ source, added: null, understood: null, replaced: null, error }),
    invocation.signal,
  );
  return outcomes;
}

function notAgreed({ files }: DemandExport): CrawlhouseError {
  return new CrawlhouseError(
    'rejected_values',
    `${files.join(', ')}: not added, because the answer was not yes`,
    { hint: 'correct the file, or add it again and answer yes' },
  );
}

/** Prints the meaning of exports without storing anything; returns the exit code. */
export async function printUnderstood(
  invocation: Invocation,
  project: Project,
  outcomes: readonly DemandOutcome[],
): Promise<number> {
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  const exitCode = exitCodeOf(errors);
  if (invocation.has('json')) {
    const document = {
      project: { id: project.id, name: project.name },
      exports: outcomes.map(demandDocument),
    };
    await invocation.printJson({ ...document, run: null, error: failureOf(errors, exitCode) });
  } else {
    const texts = outcomes.map(({ understood, added, source }) => {
      if (understood !== null) return describeUnderstood([understood]);
      return added?.status === 'unchanged' ? `${source.files.join(', ')}: already added.\n` : '';
    });
    await invocation.print(texts.filter(Boolean).join('\n'));
    invocation.say('Nothing was stored (--dry-run).\n');
  }
  for (const error of errors) printError(error, invocation.has('debug'));
  return exitCode;
}

/** Loads the changed days, and prints the outcome of the exports; returns the exit code. */
export async function loadDemand(
  invocation: Invocation,
  service: LocalService,
  project: Project,
  outcomes: readonly DemandOutcome[],
): Promise<number> {
  const refused = outcomes.flatMap(({ error }) => error ?? []);
  const result = await loadLocal(invocation, service, project.id, 'demand add');
  const unloaded = await unloadedDays(service, project.id, result);
  const texts = [
    ...outcomes.map((outcome) => describeDemand(outcome, invocation.workingDirectory)),
    unloaded.map(unloadedText).join(''),
  ];
  return await endLoad(invocation, result, refused, {
    document: {
      project: { id: project.id, name: project.name },
      exports: outcomes.map(demandDocument),
      not_loaded: unloaded,
    },
    text: texts.filter(Boolean).join('\n'),
    idle: 'Nothing new: the warehouse has these search results.',
    next: async () => nextStep(await invocation.settings(), outcomes),
  });
}

const NEXT = 'q18_demand_that_is_not_met';

async function nextStep(settings: Settings, outcomes: readonly DemandOutcome[]): Promise<string> {
  if (!(await hasQuestion(settings, NEXT)))
    return 'Next: crawlhouse query "SELECT * FROM raw.ranking_performance"\n';
  const isDaily = outcomes.some(({ added }) => added?.sums.some(({ by }) => by.startsWith('date, url')));
  if (isDaily) return 'Next: crawlhouse query --question q27_cannibalisation\n';
  const hasUrls = outcomes.some(({ added }) => added?.sums.some(({ by }) => by.split(', ').includes('url')));
  if (!hasUrls) return 'Next: crawlhouse query "SELECT * FROM mart.ranking_periods"\n';
  return [
    'Totals of a period answer questions about pages (q03, q18, q19, q32). Questions about days and queries need an',
    'export by day (docs/demand.md).',
    `Next: crawlhouse query --question ${NEXT}`,
    '',
  ].join('\n');
}

/**
 * Refuses a pipeline that lacks the columns that distinguish totals from daily rows.
 *
 * @throws CrawlhouseError `bad_pipeline`
 */
export async function refuseMixing(projectDir: string): Promise<void> {
  for (const { source, dataset, columns } of await loadPipelines(projectDir)) {
    const missing = OF_TOTALS.filter((name) => !Object.hasOwn(columns, name));
    if (source.kind !== 'ranking_performance' || missing.length === 0) continue;
    const lines = missing.map(
      (name) => `${name}: { type: ${name === 'period_days' ? 'natural' : 'string'}, optional: true }`,
    );
    throw new CrawlhouseError(
      'bad_pipeline',
      `pipelines/${dataset}.yaml does not request ${missing.join(', ')}: totals of a period would count as search results of its last day`,
      { hint: `add to its columns: ${lines.join(', ')}` },
    );
  }
}

/** Returns whether a project has a saved question: it may omit the shipped ones. */
export async function hasQuestion(settings: Settings, name: string): Promise<boolean> {
  return (await loadQuestions(sqlFolders(settings))).some((question) => question.name === name);
}
