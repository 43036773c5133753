import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownTable } from '../src/app/answers/presentation/markdown.ts';
import { PublishedWarehouse } from '../src/app/answers/query/query-warehouse.ts';
import { writeResult } from '../src/app/answers/query/result/write-result.ts';
import { explainEmpty } from '../src/app/answers/questions/explain-empty.ts';
import { loadSettings } from '../src/app/settings/load-settings.ts';
import { silentLogger } from '../src/core/logs/logger.ts';
import { run } from '../src/etl/pipeline/run.ts';
import { loadPipelines } from '../src/etl/project/settings/pipelines.ts';
import { sqlFolder } from '../src/etl/project/sql/models/sql-folders.ts';
import { type BoundQuestion, bindQuestion } from '../src/etl/project/sql/questions/bind-question.ts';
import { type Parameter, STANDARD_PARAMETERS } from '../src/etl/project/sql/questions/question-parameters.ts';
import { loadQuestions, type Question } from '../src/etl/project/sql/questions/questions.ts';
import type { CatalogReader } from '../src/etl/state/catalog/catalog.ts';
import { startSandbox } from '../src/service/sandbox/start-sandbox.ts';

const ROOT = join(import.meta.dirname, '..');
export const REAL_DATA = join(ROOT, '..', 'shared', 'data');
/** The first rows of each question on the real data. */
export const REAL_ROWS = join(ROOT, 'test', 'questions', 'real-rows.json');

/** Folders of real data, and the end of a crawl whose folder's name has no date. */
export const REAL_FOLDERS: Readonly<Record<string, string | null>> = {
  'gov-sites-2025-01-09': null,
  'gov-sites-2025-01-16': null,
  'typo3-site': '2025-01-20T12:00:00Z',
  'semicomplete-logs': null,
};
/** A clone of the repository does not have the real data. */
export const hasRealData = (): boolean =>
  Object.keys(REAL_FOLDERS).every((name) => existsSync(join(REAL_DATA, name)));
const ROWS = 3;

interface FirstRows {
  readonly count: number;
  /** A table, line by line. */
  readonly first: readonly string[];
  /** Why there are none. */
  readonly why: string | null;
}

/** By the question's name; null: the question was written without the real data. */
type Rows = Readonly<Record<string, FirstRows | null>>;

/** The page of the saved questions: what each asks, its SQL's place, and its first rows on the real data. */
export async function questionsPage(): Promise<string> {
  const rows = JSON.parse(await readFile(REAL_ROWS, 'utf8')) as Rows;
  const questions = await loadQuestions([sqlFolder(join(ROOT, 'sql'))]);
  return [HEAD, ...questions.map((question) => section(question, rows[question.name] ?? null))].join('\n');
}

/** What a clone without the real data writes: the rows that are there, and null for each other question. */
export function keptRows(names: readonly string[], rows: Rows): Rows {
  return Object.fromEntries(names.map((name) => [name, rows[name] ?? null]));
}

async function writtenRows(): Promise<Rows> {
  if (hasRealData()) return realRows();
  console.log(`${REAL_DATA} is missing: a new question gets no rows`);
  const questions = await loadQuestions([sqlFolder(join(ROOT, 'sql'))]);
  const rows = JSON.parse(await readFile(REAL_ROWS, 'utf8')) as Rows;
  return keptRows(
    questions.map(({ name }) => name),
    rows,
  );
}

/** The first rows of each question on the real data, by the question's name. */
export async function realRows(): Promise<Record<string, FirstRows>> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-questions-'));
  try {
    await loadRealData(folder);
    using warehouse = await PublishedWarehouse.open({
      warehouse: join(folder, 'warehouse.duckdb'),
      memoryLimit: '400MB',
      threads: 2,
    });
    const found: Record<string, FirstRows> = {};
    for (const question of await loadQuestions([sqlFolder(join(folder, 'sql'))])) {
      const bound = bindQuestion(question);
      const { count, text } = await firstRows(warehouse, bound);
      const why =
        count > 0 ? null : await explainEmpty(bound, readerOf(warehouse), new AbortController().signal);
      found[question.name] = { count, first: count > 0 ? text.trimEnd().split('\n') : [], why };
    }
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function loadRealData(folder: string): Promise<void> {
  for (const name of ['pipelines', 'sql', 'schedules.yaml'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await using sandbox = await startSandbox({ importDirs: await importable(folder) });
  const settings = await loadSettings(folder, {
    CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
    CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
  });
  const result = await run(
    settings,
    {
      command: 'run',
      pipelines: await loadPipelines(folder),
      selection: {
        projects: 'all',
        crawls: null,
        from: Number.NEGATIVE_INFINITY,
        to: Number.POSITIVE_INFINITY,
      },
      override: { route: null, format: null, store: null },
      reload: false,
    },
    silentLogger,
    new AbortController().signal,
  );
  if (result.exitCode !== 0)
    throw new Error(`the run ended with ${result.exitCode}: ${result.errors[0]?.message}`);
}

/** The folders, with an end of the crawl where they give none: else it would be now, and the page another each day. */
async function importable(folder: string): Promise<string[]> {
  const made: string[] = [];
  for (const [name, endedAt] of Object.entries(REAL_FOLDERS)) {
    const from = join(REAL_DATA, name);
    const to = join(folder, 'import', name);
    made.push(endedAt === null ? from : to);
    if (endedAt === null) continue;
    await mkdir(to, { recursive: true });
    for (const file of await readdir(from)) await symlink(join(from, file), join(to, file));
    await writeFile(join(to, 'crawl.json'), JSON.stringify({ ended_at: Date.parse(endedAt) }));
  }
  return made;
}

async function firstRows(
  warehouse: PublishedWarehouse,
  { sql, parameters }: BoundQuestion,
): Promise<{ count: number; text: string }> {
  const signal = new AbortController().signal;
  const count = `SELECT count(*) FROM (${sql}\n)`;
  const counted = await warehouse.ask(count, signal, (result) => result.rows(), parameters);
  let text = '';
  const write = async (piece: string): Promise<void> => {
    text += piece;
  };
  const first = `FROM (${sql}\n) LIMIT ${ROWS}`;
  await warehouse.ask(first, signal, (result) => writeResult(result, { format: 'table' }, write), parameters);
  return { count: Number(counted[0]?.[0]), text };
}

const readerOf = (warehouse: PublishedWarehouse): CatalogReader => ({
  rows: async (sql, signal, parameters) => {
    let text = '';
    const write = async (piece: string): Promise<void> => {
      text += piece;
    };
    await warehouse.ask(sql, signal, (result) => writeResult(result, { format: 'json' }, write), parameters);
    return JSON.parse(text) as object[];
  },
});

function section(
  { name, title, model, description, parameters, chart }: Question,
  found: FirstRows | null,
): string {
  const source = `[\`${name}\`](../../sql/questions/${name}.sql) reads \`${model}\``;
  return `## ${title}\n\n${description.trim()}\n\n${source}.${taken(parameters)}${drawn(chart)}${shown(found)}\n`;
}

/** A question that was written since has no rows yet. */
function shown(found: FirstRows | null): string {
  if (found === null) return '';
  const { count, first, why } = found;
  if (count === 0) return ` No rows on this data. ${why}`;
  return ` ${count} ${count === 1 ? 'row' : 'rows'}:\n\n${first.map((line) => `    ${line}`).join('\n')}`;
}

/** Names and defaults of parameters; what the standard ones mean is said once. */
function taken(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const texts = parameters.map(({ name, default: value, description }) => {
    const own = STANDARD_PARAMETERS[name] ? '' : `: ${description.replace(/\.$/, '')}`;
    return `\`${name}${value === null ? '' : `=${value}`}\`${own}`;
  });
  return ` Parameters: ${texts.join('; ')}.`;
}

/** Its chart in words: `Chart: bars of links by target`. */
function drawn(chart: Question['chart']): string {
  if (chart === null) return '';
  const { kind, x, y, colour, only } = chart;
  const what = y.length === 0 ? 'rows' : y.map((name) => `\`${name}\``).join(', ');
  const by = [x, colour].filter((name) => name !== null).map((name) => `\`${name}\``);
  const where = only === null ? '' : ` where \`${only}\``;
  return ` Chart: ${kind}, ${what}${by.length === 0 ? '' : ` by ${by.join(' and ')}`}${where}.`;
}

const HEAD = `# Saved questions

This page lists the saved questions with their first rows. Each question is one SELECT in a file under \`sql/questions/\`.
\`crawlhouse query --question NAME\` runs a question, and \`crawlhouse query --question\` lists all. You can add your own files.

The rows come from real crawls of public sites: two scans of US government sites a week apart, a small site with its links, and
the log files of a web server. These have no search results, structured data or segmentations of links, so some questions have no
rows. Their models have cases under \`test/golden/\`. A test answers each question a second time with plain code.

Without parameters, a question covers all projects. \`-p NAME=VALUE\` sets a parameter. These parameters have the same meaning in
every question:

${markdownTable([
  ['parameter', 'type', 'means'],
  ...Object.entries(STANDARD_PARAMETERS).map(([name, { type, description }]) => [
    `\`${name}\``,
    type,
    description,
  ]),
]).join('\n')}
`;

if (import.meta.main) {
  await writeFile(REAL_ROWS, `${JSON.stringify(await writtenRows(), null, 2)}\n`);
  console.log(`wrote ${REAL_ROWS}`);
}
