import { rm } from 'node:fs/promises';
import { extname, join, parse, resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { writeWhole } from '../../../core/files/atomic-file.ts';
import { giveUserMode } from '../../../core/files/private-files.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { bindQuestion } from '../../../etl/project/sql/questions/bind-question.ts';
import type { Chart } from '../../../etl/project/sql/questions/question-chart.ts';
import type { Needs } from '../../../etl/project/sql/questions/question-needs.ts';
import type { Parameter } from '../../../etl/project/sql/questions/question-parameters.ts';
import { loadQuestions, type Question, questionNamed } from '../../../etl/project/sql/questions/questions.ts';
import { resolveParameters } from '../../../etl/state/catalog/resolve-parameters.ts';
import type { Names } from '../../answers/presentation/blocks.ts';
import {
  CHARTS,
  type ChartName,
  drawChart,
  MOST_POINTS,
} from '../../answers/presentation/charts/draw-chart.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import type { ParameterTexts } from '../../answers/query/parameters.ts';
import { QueryProcess } from '../../answers/query/query-process.ts';
import { checkOutput, filesOfProject } from '../../answers/query/result/check-output-file.ts';
import { withTextFile } from '../../answers/query/result/text-file.ts';
import { TEXT_FORMATS } from '../../answers/query/result/text-formats.ts';
import type { Warehouse } from '../../answers/query/warehouse.ts';
import { explainEmpty } from '../../answers/questions/explain-empty.ts';
import { readScopeNotes } from '../../answers/questions/question-scope.ts';
import type { AnswerSheet } from '../../answers/workbook/add-answer.ts';
import type { Command, Invocation } from '../command.ts';
import { NAMES_FLAG, namesOf, oneOf, parametersOf, readFlagFile } from '../flag-values.ts';
import { screenOf, throughPager } from '../pager.ts';
import { printError } from '../print-error.ts';

const FILE_FORMATS = ['parquet', 'xlsx'] as const;
const QUERY_FORMATS = [...TEXT_FORMATS, ...FILE_FORMATS] as const;
type QueryFormat = (typeof QUERY_FORMATS)[number];

export const query: Command = {
  name: 'query',
  summary: 'run read-only SQL on the published warehouse',
  positionals: { shown: '[SQL]', most: 2 },
  flags: {
    file: { value: 'F', help: 'run the SQL of this file' },
    question: { help: 'run a saved question; without a name, list all questions' },
    param: {
      short: 'p',
      value: 'NAME=VALUE',
      multiple: true,
      help: 'the value of $NAME in the SQL, or of a parameter of the question',
    },
    from: {
      value: 'F',
      help: 'a file of URLs (one per line, or CSV) for a question with the urls parameter',
    },
    format: { value: 'FORMAT', values: QUERY_FORMATS, help: 'the format of the rows (table)' },
    chart: {
      value: 'CHART',
      values: CHARTS,
      help: 'draw the chart of the question, or of the first numeric column',
    },
    'safe-csv': { help: 'CSV for a spreadsheet: values that look like formulas stay text' },
    bom: { help: 'CSV with a byte order mark, so that Excel recognizes UTF-8' },
    names: NAMES_FLAG,
    output: { value: 'F', help: 'write to this file; its extension sets the format' },
  },
  async run(invocation) {
    const target = queryTarget(invocation);
    const chart = chartOf(invocation);
    const forked = invocation.positionals.length > 0 ? QueryProcess.fork() : null;
    const settings = await invocation.settings();
    if (invocation.has('question') && invocation.positionals.length === 0)
      return listQuestions(invocation, settings);
    const statement = await statementOf(invocation, settings);
    const open: Open = (more) => openWarehouse(invocation, settings, more, forked);
    if (chart !== null && statement !== null) return await draw(invocation, open, statement, chart);
    if (statement === null) return await prompt(invocation, settings, target);
    const path = target.path === null ? null : await checkOutput(target.path, filesOfProject(settings));
    const { rows, why } = await answer(invocation, open, statement, { ...target, path });
    if (rows === null) return 0;
    const where = target.path === null ? '' : ` in ${invocation.text('output')}`;
    invocation.say(`${rows} ${rows === 1 ? 'row' : 'rows'}${where}${why === null ? '' : `. ${why}`}\n`);
    return 0;
  },
};

type Open = (more?: Parameters<typeof openWarehouse>[2]) => Promise<Warehouse>;

interface Statement {
  readonly sql: string;
  readonly parameters: ParameterTexts;
  readonly isQuestion: boolean;
  readonly needs: Needs;
  /** Null: the statement declares none. */
  readonly chart: Chart | null;
}

/** Returns the query; null opens the prompt. */
async function statementOf(invocation: Invocation, settings: Settings): Promise<Statement | null> {
  const parameters = parametersOf(invocation.texts('param'));
  const file = invocation.text('file');
  const given = [...invocation.positionals];
  const sources = given.length + (file === undefined ? 0 : 1);
  if (sources > 1) throw new CrawlhouseError('usage', 'one SQL text, file or question at a time');
  const [text] = given;
  if (invocation.has('question') && text !== undefined) {
    const questions = await loadQuestions(sqlFolders(settings));
    const question = questionNamed(questions, text);
    const values = await withUrls(invocation, question, parameters);
    return { ...bindQuestion(question, values), isQuestion: true, chart: question.chart };
  }
  if (invocation.text('from') !== undefined)
    throw new CrawlhouseError('usage', '--from needs a saved question', {
      hint: 'crawlhouse query --question q24 --from urls.txt',
    });
  if (text !== undefined) return { sql: text, parameters, isQuestion: false, needs: {}, chart: null };
  if (file === undefined) return null;
  const sql = await readFlagFile(invocation, 'file', file);
  return { sql, parameters, isQuestion: false, needs: {}, chart: null };
}

/** Returns the values of a question, with the URLs in the file of `--from`. */
async function withUrls(
  invocation: Invocation,
  { name, parameters }: Question,
  given: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  if (invocation.text('from') === undefined) return given;
  const parameter = parameters.find(({ type }) => type === 'URLS')?.name;
  if (parameter === undefined)
    throw new CrawlhouseError('usage', `${name} does not accept a file of URLs`, {
      hint: 'only questions with a urls parameter accept a file; crawlhouse query --question lists all questions',
    });
  if (given.has(parameter))
    throw new CrawlhouseError('usage', `--from and --param ${parameter} cannot be combined`);
  const { readUrlFile } = await import('../read-url-file.ts');
  const urls = (await readUrlFile(invocation, 'from')) ?? [];
  return new Map([...given, [parameter, urls.join('\n')]]);
}

/** @throws CrawlhouseError `usage` */
function chartOf(invocation: Invocation): ChartName | null {
  const chart = oneOf(invocation, 'chart', CHARTS);
  if (chart === null) return null;
  const other = ['format', 'output'].find((flag) => invocation.text(flag) !== undefined);
  if (other !== undefined || invocation.has('json'))
    throw new CrawlhouseError('usage', `--chart and --${other ?? 'json'} cannot be combined`);
  return chart;
}

async function draw(
  invocation: Invocation,
  open: Open,
  statement: Statement,
  chart: ChartName,
): Promise<number> {
  const { signal, terminal } = invocation;
  await using warehouse = await open();
  const parameters = await resolveParameters(statement, warehouse, signal);
  const rows = await warehouse.rows(statement.sql, signal, parameters, MOST_POINTS + 1);
  await invocation.print(drawChart(chart, rows, statement.chart, terminal?.width ?? 100));
  await sayScope(invocation, { parameters, isQuestion: statement.isQuestion }, warehouse);
  const why =
    rows.length > 0 ? null : await explainEmpty({ needs: statement.needs, parameters }, warehouse, signal);
  if (why !== null) invocation.say(`${why}\n`);
  return 0;
}

async function sayScope(
  { signal, say }: Invocation,
  asked: Parameters<typeof readScopeNotes>[0],
  warehouse: Warehouse,
): Promise<void> {
  for (const note of await readScopeNotes(asked, warehouse, signal)) say(`${note}\n`);
}

async function listQuestions(invocation: Invocation, settings: Settings): Promise<number> {
  const questions = await loadQuestions(sqlFolders(settings));
  const listed = questions.map(({ name, title, model, parameters }) => ({ name, title, model, parameters }));
  if (invocation.has('json')) await invocation.printJson(listed);
  else {
    const rows = listed.map((one) => [one.name, one.title, one.model, one.parameters.map(shown).join(' ')]);
    const fit = { width: invocation.terminal?.width ?? null, below: ['title', 'parameters'] };
    await invocation.print(textTable(['name', 'title', 'model', 'parameters'], rows, fit));
  }
  return 0;
}

const shown = (parameter: Parameter): string =>
  parameter.default === null ? parameter.name : `${parameter.name}=${parameter.default}`;

/** Writes the rows. Returns their number, or null if the user left the pager early, and why a question has no rows. */
async function answer(
  invocation: Invocation,
  open: Open,
  statement: Statement,
  { path, format, safeCsv, bom, names }: QueryTarget,
): Promise<{ readonly rows: number | null; readonly why: string | null }> {
  const { signal, write, terminal } = invocation;
  const { sql, needs } = statement;
  const readBy = async (
    warehouse: Warehouse,
    read: (parameters: ParameterTexts) => Promise<number | null>,
  ): Promise<{ rows: number | null; why: string | null }> => {
    const parameters = await resolveParameters(statement, warehouse, signal);
    const rows = await read(parameters);
    await sayScope(invocation, { parameters, isQuestion: statement.isQuestion }, warehouse);
    return { rows, why: rows === 0 ? await explainEmpty({ needs, parameters }, warehouse, signal) : null };
  };
  if (path === null) {
    if (isOnlyFile(format)) throw new Error(`${format} without a file`);
    await using warehouse = await open();
    const fit = terminal === null ? {} : { width: terminal.width };
    return await readBy(warehouse, (parameters) =>
      throughPager({ screen: screenOf(invocation), write, signal }, (to, until) =>
        warehouse.write(sql, { format, safeCsv, bom, names, ...fit }, to, until, parameters),
      ),
    );
  }
  return await writeWhole(path, async (growing) => {
    // A file of a killed process with the same id, or a link that someone placed there.
    await rm(growing, { force: true });
    await using warehouse = await open(format === 'parquet' ? { output: growing } : {});
    const read = await readBy(warehouse, (parameters) => {
      if (format === 'parquet') return warehouse.writeParquet(sql, growing, signal, parameters);
      if (format === 'xlsx') {
        const sheet = { name: parse(path).name, sql, parameters, names };
        return writeSheet(invocation, { warehouse, growing, sheet });
      }
      const options = { format, safeCsv, bom, names };
      return withTextFile(growing, (to) => warehouse.write(sql, options, to, signal, parameters));
    });
    await giveUserMode(growing);
    return read;
  });
}

/** Writes the rows as a workbook. @returns their number */
async function writeSheet(
  { signal, say }: Invocation,
  {
    warehouse,
    growing,
    sheet,
  }: { readonly warehouse: Warehouse; readonly growing: string; readonly sheet: AnswerSheet },
): Promise<number> {
  const { writeAnswer } = await import('../../answers/workbook/write-answer.ts');
  const { rows, notes } = await writeAnswer(growing, warehouse, sheet, signal);
  for (const note of notes) say(`${note}\n`);
  return rows;
}

async function prompt(
  invocation: Invocation,
  settings: Settings,
  { path, format }: QueryTarget,
): Promise<number> {
  if (path !== null || isOnlyFile(format)) {
    throw new CrawlhouseError('usage', '--output needs the SQL on the command line', {
      hint: "crawlhouse query 'SELECT …' --output rows.parquet",
    });
  }
  const { runPrompt } = await import('../prompt/query-prompt.ts');
  await using warehouse = await openWarehouse(invocation, settings);
  return await runPrompt({
    input: process.stdin,
    terminal: process.stdin.isTTY ? process.stderr : null,
    historyFile: join(settings.state_dir, 'query_history'),
    warehouse,
    questions: await loadQuestions(sqlFolders(settings)),
    format,
    signal: invocation.signal,
    screen: screenOf(invocation),
    width: invocation.terminal === null ? null : () => process.stdout.columns || 80,
    write: invocation.write,
    say: invocation.say,
    sayError: (error, thrown) => printError(error, invocation.has('debug'), thrown),
  });
}

const BY_EXTENSION: Readonly<Record<string, QueryFormat>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.md': 'markdown',
  '.parquet': 'parquet',
  '.txt': 'table',
  '.xlsx': 'xlsx',
};

/** The destination and format of a query's rows. */
interface QueryTarget {
  readonly format: QueryFormat;
  /** The file that `--output` names; null: stdout. */
  readonly path: string | null;
  /** For CSV: whether texts that look like formulas stay texts. */
  readonly safeCsv: boolean;
  readonly bom: boolean;
  readonly names: Names;
}

function isOnlyFile(format: QueryFormat): format is (typeof FILE_FORMATS)[number] {
  return format === 'parquet' || format === 'xlsx';
}

/**
 * Returns the output target that the flags set. Without `--format`, the file extension determines the format.
 *
 * @throws CrawlhouseError `usage`
 */
function queryTarget(invocation: Invocation): QueryTarget {
  const output = invocation.text('output');
  const path = output === undefined ? null : resolve(invocation.workingDirectory, output);
  const format = formatOf(invocation, path);
  if (isOnlyFile(format) && path === null) {
    throw new CrawlhouseError('usage', `--format ${format} needs a file`, {
      hint: `--output rows.${format}`,
    });
  }
  const [safeCsv, bom] = [invocation.has('safe-csv'), invocation.has('bom')];
  if ((safeCsv || bom) && format !== 'csv')
    throw new CrawlhouseError('usage', `--${safeCsv ? 'safe-csv' : 'bom'} needs CSV`, {
      hint: 'add --format csv',
    });
  const names = namesOf(invocation, 'columns');
  if (names === 'people' && format === 'parquet')
    throw new CrawlhouseError('usage', '--names people does not work with Parquet', {
      hint: 'use --format csv',
    });
  return { format, path, safeCsv, bom, names };
}

function formatOf(invocation: Invocation, path: string | null): QueryFormat {
  const format = oneOf(invocation, 'format', QUERY_FORMATS);
  if (format !== null) return format;
  if (invocation.has('json')) return 'json';
  return path === null ? 'table' : formatOfFile(path);
}

function formatOfFile(path: string): QueryFormat {
  const format = lookUp(BY_EXTENSION, extname(path).toLowerCase());
  if (format) return format;
  throw new CrawlhouseError('usage', `--output: ${path} has no known extension`, {
    hint: `add --format, or use the extension ${Object.keys(BY_EXTENSION).join(', ')}`,
  });
}
