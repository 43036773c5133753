import { resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { plausibleTime } from '../../../core/time/plausible-days.ts';
import {
  type DemandExport,
  DIMENSIONS,
  type Dimension,
  type Period,
} from '../../../site/search-data/demand-row.ts';
import { OpenChoice } from '../../../site/search-data/exports/open-choice.ts';
import { DAY_ORDERS, type DayOrder } from '../../../site/search-data/exports/parse-day.ts';
import { DECIMAL_MARKS, type DecimalMark } from '../../../site/search-data/exports/parse-figures.ts';
import { whyImplausible } from '../../../site/search-data/make-record.ts';
import { type DemandOptions, readDemand } from '../../../site/search-data/read-demand.ts';
import type { Command, Invocation } from '../command.ts';
import { Questions } from '../dialogue.ts';
import { neededArguments, oneOf } from '../flag-values.ts';
import { addExports, loadDemand, printUnderstood } from '../local/load-demand.ts';
import { LOCAL_PROJECT_FLAGS, localProject, projectFlags } from '../local/local-project.ts';
import { LocalService } from '../local/local-service.ts';
import { dayOf } from '../run-flags.ts';

const DAY = 86_400_000;

export const demandAdd: Command = {
  name: 'demand add',
  keepsLog: true,
  summary: "add exports of Search Console or Bing Webmaster Tools to a crawled website's search results",
  positionals: { shown: 'FILE…', most: Number.POSITIVE_INFINITY },
  flags: {
    ...LOCAL_PROJECT_FLAGS,
    from: { value: 'DATE', help: 'first day of the totals, if the file does not contain it' },
    to: { value: 'DATE', help: 'the day after the last day of the totals' },
    dimensions: {
      value: 'NAMES',
      help: 'dimensions of API responses, in the order of the request: date,page,query,country,device',
    },
    'date-order': {
      value: 'ORDER',
      help: 'the day-month order of dates such as 7/1/2026 (dmy or mdy), if it cannot be detected',
    },
    decimal: {
      value: 'MARK',
      values: DECIMAL_MARKS,
      help: 'the decimal separator, if it cannot be detected from the rows',
    },
    host: { multiple: true, value: 'HOST', help: 'another host of the site' },
    keep: { help: 'add only rows that earlier exports do not contain' },
    'dry-run': { help: 'print how crawlhouse reads the files, without storing anything' },
  },
  async run(invocation) {
    const { workingDirectory, logger } = invocation;
    const files = neededArguments(invocation, 'no file named', 'crawlhouse demand add FILE…');
    const options = {
      period: periodOf(invocation),
      dimensions: dimensionsOf(invocation),
      dayOrder: oneOf(invocation, 'date-order', DAY_ORDERS),
      mark: oneOf({ text: (flag) => invocation.text(flag)?.toLowerCase() }, 'decimal', DECIMAL_MARKS),
    };
    const settings = await invocation.settings();
    const paths = files.map((path) => resolve(workingDirectory, path));
    const range = plausibleTime(Date.now(), settings.access_logs.earliest_day);
    for (const day of [options.period?.from, options.period?.to]) {
      const why = day === undefined ? null : whyImplausible(day, range);
      if (why !== null) throw new CrawlhouseError('usage', `--from, --to: ${why}`);
    }
    const exports = await readAsking(invocation, paths, { ...options, range });
    await using service = await LocalService.start(settings, { allowPrivate: false, logger });
    const before = await service.projects();
    const project = await localProject(service, projectFlags(invocation));
    const outcomes = await addExports(invocation, service, project, exports);
    if (!invocation.has('dry-run')) return await loadDemand(invocation, service, project, outcomes);
    if (!before.some(({ id }) => id === project.id)) await service.forget(project.id);
    return await printUnderstood(invocation, project, outcomes);
  },
};

/** Reads the files; on a terminal, asks the user about ambiguities. */
async function readAsking(
  { person, signal, say }: Invocation,
  paths: readonly string[],
  given: DemandOptions,
): Promise<DemandExport[]> {
  let options = given;
  for (;;)
    try {
      return await readDemand(paths, options, signal);
    } catch (error) {
      if (!(error instanceof OpenChoice) || person === null) throw error;
      const { message, values, flag } = error;
      say(`${message}.\n`);
      using questions = new Questions(person, signal);
      const answer = await questions.ask(`Which one? ${values.join(' or ')}`, (text) =>
        values.includes(text) ? undefined : `answer ${values.join(' or ')}`,
      );
      options = {
        ...options,
        ...(flag === 'decimal' ? { mark: markNamed(answer) } : { dayOrder: orderNamed(answer) }),
      };
    }
}

function markNamed(text: string): DecimalMark | null {
  return DECIMAL_MARKS.find((one) => one === text) ?? null;
}

function orderNamed(text: string): DayOrder | null {
  return DAY_ORDERS.find((one) => one === text) ?? null;
}

function periodOf(invocation: Invocation): Period | null {
  const [from, to] = [invocation.text('from'), invocation.text('to')];
  if (from === undefined && to === undefined) return null;
  if (from === undefined || to === undefined)
    throw new CrawlhouseError(
      'usage',
      '--from needs --to, and --to needs --from: the first day, and the day after the last',
    );
  const [first, after] = [dayOf(from, 'from'), dayOf(to, 'to')];
  if (first < after) return { from, to: new Date(after - DAY).toISOString().slice(0, 10) };
  throw new CrawlhouseError('usage', `--from ${from} is not before --to ${to}`, {
    hint: 'set --to to the day after the last day',
  });
}

function dimensionsOf(invocation: Invocation): Dimension[] | null {
  const text = invocation.text('dimensions');
  if (text === undefined) return null;
  const names = text.split(',').map((name) => (name.trim() === 'page' ? 'url' : name.trim()));
  const known = names.filter((name): name is Dimension => DIMENSIONS.includes(name as Dimension));
  if (known.length === names.length && new Set(known).size === known.length) return known;
  throw new CrawlhouseError(
    'usage',
    `--dimensions ${text}: each of date, page, query, country, device once`,
    { hint: 'list the dimensions in the order of the request, such as --dimensions date,page,query' },
  );
}
