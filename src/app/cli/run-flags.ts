import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { STORE_NAMES } from '../../core/stores/registry.ts';
import { calendarDay } from '../../core/time/calendar-day.ts';
import { CRAWL_NAMES } from '../../etl/project/model/crawl-name.ts';
import { FORMATS, ROUTES } from '../../etl/project/model/pipeline.ts';
import type { Selection } from '../../etl/project/model/task.ts';
import { loadPipelines, selectPipelines } from '../../etl/project/settings/pipelines.ts';
import type { Settings } from '../../etl/project/settings/settings.ts';
import { checkOutput, filesOfProject } from '../answers/query/result/check-output-file.ts';
import type { Flag, Invocation } from './command.ts';
import { oneOf } from './flag-values.ts';

export const RUN_FLAGS: Readonly<Record<string, Flag>> = {
  project: { multiple: true, value: 'P', help: 'only this project, by id or name' },
  crawl: { multiple: true, value: 'ID', help: `only this crawl: ${CRAWL_NAMES}` },
  route: { value: 'ROUTE', values: ROUTES, help: 'how to get the rows' },
  format: { value: 'FORMAT', values: FORMATS, help: 'the format of the rows' },
  store: { value: 'STORE', values: STORE_NAMES, help: 'the store for data exports' },
  plan: { help: 'only print the plan' },
  events: { value: 'FILE', help: 'append an event for each step of a unit, as JSON lines; - is stderr' },
};

/** Returns the message of a run that changed nothing, limited to the request. */
export function nothingNew({ positionals, texts, text }: Invocation): string | undefined {
  const isPart =
    positionals.length > 0 ||
    ['project', 'crawl'].some((flag) => texts(flag).length > 0) ||
    text('from') !== undefined;
  return isPart ? 'Nothing new: every requested finished unit is in the warehouse.' : undefined;
}

export async function requestOf(
  invocation: Invocation,
  settings: Settings,
  period: Partial<Pick<Selection, 'from' | 'to'>> = {},
) {
  return {
    pipelines: selectPipelines(await loadPipelines(settings.projectDir), invocation.positionals),
    selection: { ...selectedSources(invocation, settings), ...period },
    override: {
      route: oneOf(invocation, 'route', ROUTES),
      format: oneOf(invocation, 'format', FORMATS),
      store: oneOf(invocation, 'store', STORE_NAMES),
    },
  };
}

export function selectedSources(invocation: Invocation, settings: Settings) {
  const projects = invocation.texts('project');
  const crawls = invocation.texts('crawl');
  return {
    projects: projects.length > 0 ? projects : settings.projects,
    crawls: crawls.length > 0 ? crawls : null,
  };
}

export function dayOf(text: string, flag: string): number {
  const at = calendarDay(text);
  if (at !== null) return at;
  throw new CrawlhouseError('usage', `--${flag}: ${text} is not a date`, { hint: 'write it as 2026-01-31' });
}

/** Opens the target of `--events`: a file to append lines to, each before the run continues, or stderr. */
export async function openEvents(invocation: Invocation, settings: Settings) {
  const name = invocation.text('events');
  if (name === undefined) return { write: undefined, [Symbol.dispose]: () => {} };
  if (name === '-')
    return { write: (line: string) => void process.stderr.write(line), [Symbol.dispose]: () => {} };
  const path = resolve(invocation.workingDirectory, name);
  await checkOutput(path, { ...filesOfProject(settings), named: '--events', isAppended: true });
  const file = openSync(path, 'a');
  return { write: (line: string) => void writeSync(file, line), [Symbol.dispose]: () => closeSync(file) };
}
