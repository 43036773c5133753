import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { Note } from '../../../etl/project/settings/notes.ts';
import {
  CHART_KINDS,
  type Chart,
  chartColumns,
  chartProblem,
} from '../../../etl/project/sql/questions/question-chart.ts';
import type { Question } from '../../../etl/project/sql/questions/questions.ts';
import { knownProjects } from '../../../etl/state/catalog/known-projects.ts';
import { chartFigures } from '../../answers/presentation/charts/chart-figures.ts';
import type { RowsPage } from '../../answers/query/result/page-of-rows.ts';
import { recordsOf } from '../../answers/query/warehouse.ts';
import { Ask, type AskDocument, type Suggestion } from '../page-parts/ask-document.ts';
import { projectsCalled } from '../page-parts/called-project.ts';
import { page } from '../page-parts/console-page.ts';
import { drawAsk } from '../page-parts/draw-ask.ts';
import { readNotes } from '../page-parts/project-notes.ts';
import { readAnswer, readChartRows, type View } from '../readers/read-answer.ts';
import { type Readers, withoutModels } from '../readers/readers.ts';
import { statementOf } from '../readers/statement.ts';

const NOTHING = {
  columns: [],
  rows: [],
  more: false,
  total: null,
  seconds: null,
  why: null,
  scope: [],
  chart: null,
};
const MOST_CRAWLS = 200;

export const ASK = page<AskDocument>({
  path: '/ask',
  summary: 'SQL and saved questions on the published warehouse, with their answers.',
  query: {
    question: 'The name of a saved question.',
    sql: 'One read-only statement.',
    'param.NAME': 'The value of a parameter.',
    run: 'If present, the statement runs, unless another site linked to this page.',
    filter: 'Only rows that contain this text.',
    in: 'The column to search (default: all columns).',
    sort: 'The column to sort by.',
    order: 'asc or desc.',
    page: 'The page of 100 rows, from 1.',
    chart: 'line, bar, stacked, scatter or histogram (default: the chart of the question).',
    x: 'The column of the x axis.',
    y: 'The numeric column of the y axis (default: the number of rows).',
    colour: 'The column for colors.',
    find: 'Only saved questions with these words.',
  },
  schema: Ask,
  async read({ query, session, isOwn }, readers, signal) {
    const questions = await readers.questions();
    const statement = statementOf(query, questions, { kept: readers.texts, subject: session.subject });
    const { question, sql, parameters } = statement;
    const ran = query.has('run') && isOwn && sql.trim() !== '';
    const view = viewOf(query);
    const about = {
      question: question && {
        name: question.name,
        title: question.title,
        description: question.description.trim(),
        model: question.model,
        file: question.file,
      },
      sql,
      parameters: [...parameters],
      suggestions: await suggestions(readers, parameters),
      questions: found(questions, query.get('find') ?? ''),
      ran,
      page: view.page,
    };
    if (!ran) return { ...about, ...NOTHING, error: null };
    try {
      const read = await readAnswer(readers.asking, statement, view, signal);
      const choice = choiceOf(query, question);
      const drawn =
        choice &&
        (await chartOf(choice, read, view, (wanted) =>
          readChartRows(readers.asking, statement, wanted, signal),
        ));
      const asking = parameters.find(({ name }) => name === 'project')?.value ?? null;
      const chart = drawn && { ...drawn, notes: await notesOfFigures(readers, drawn, asking) };
      const { columns, rows, scope, ...answer } = read;
      return {
        ...about,
        ...answer,
        scope: [...scope],
        columns: [...columns],
        rows: rows.map((row) => [...row]),
        error: null,
        chart,
      };
    } catch (thrown) {
      return { ...about, ...NOTHING, error: errorOf(thrown) };
    }
  },
  draw: drawAsk,
});

function viewOf(query: URLSearchParams): View {
  const [text, column, sort] = [query.get('filter'), query.get('in'), query.get('sort')];
  const number = Number(query.get('page') ?? 1);
  return {
    filter: text ? { text, ...(column && { column }) } : null,
    sort: sort === null ? null : { column: sort, descending: query.get('order') === 'desc' },
    page: Number.isInteger(number) && number > 0 && number < 1e9 ? number : 1,
  };
}

/** Returns the chart of an answer. If the page contains the whole answer, its rows are not read again. */
async function chartOf(
  choice: Chart,
  { columns, rows, more }: Awaited<ReturnType<typeof readAnswer>>,
  { page: number, filter }: View,
  readRows: (wanted: RowsPage) => ReturnType<typeof readChartRows>,
): Promise<Omit<NonNullable<AskDocument['chart']>, 'notes'>> {
  const chart = { ...choice, y: [...choice.y], each: [...choice.each] };
  const problem = chartProblem(choice, columns);
  if (problem !== null) return { ...chart, rows: [], cut: false, problem };
  if (!more && number === 1) return { ...chart, rows: recordsOf({ columns, rows }), cut: false, problem };
  try {
    const { kind, x, each } = choice;
    const read = await readRows({
      columns: chartColumns(choice, columns),
      ...(filter && { filter }),
      // The question itself has another order: the last crawls first.
      ...(kind === 'line' && x !== null && each.length === 0 && { sort: { column: x, descending: false } }),
    });
    return { ...chart, rows: [...read.rows], cut: read.cut, problem };
  } catch (thrown) {
    // The answer is available anyway.
    const { code, message } = toCrawlhouseError(thrown);
    if (code !== 'query_limit') throw thrown;
    return { ...chart, rows: [], cut: false, problem: message };
  }
}

/**
 * Returns the project notes to show on a chart.
 *
 * @param asked the requested project of the answer
 */
async function notesOfFigures(
  readers: Readers,
  chart: Omit<NonNullable<AskDocument['chart']>, 'notes'>,
  asked: string | null,
): Promise<NonNullable<AskDocument['chart']>['notes']> {
  const projects = new Set(chartFigures(chart, chart.rows).figures.map(({ project }) => project));
  return Promise.all(
    [...projects].map(async (project) => ({ project, list: await notesCalled(readers, project ?? asked) })),
  );
}

async function notesCalled(readers: Readers, project: string | null): Promise<readonly Note[]> {
  const { projectDir } = readers.settings;
  // A chart that may cover several projects has only the notes of all projects.
  if (project === null) return (await readNotes(projectDir, { project_id: '', project_name: null })).list;
  const named = await projectsCalled(readers, project).catch(withoutModels([]));
  const [one = { project_id: project, project_name: project }] = named.length === 1 ? named : [];
  return (await readNotes(projectDir, one)).list;
}

/**
 * Returns the chart in the address, or else the question's own; the question's `each` and `only` apply to any chart.
 */
function choiceOf(query: URLSearchParams, question: Question | null): Chart | null {
  const own = question?.chart ?? null;
  const kind = CHART_KINDS.find((one) => one === query.get('chart'));
  if (kind === undefined) return own;
  if (kind === 'funnel') return own?.kind === kind ? own : null;
  const y = query.getAll('y').filter((name) => name !== '');
  return {
    kind,
    x: query.get('x'),
    y: kind === 'histogram' ? [] : y,
    colour: query.get('colour') || null,
    each: own?.each ?? [],
    only: own?.only ?? null,
  };
}

/** Returns errors that the user can correct; any other is an error of the page. */
function errorOf(thrown: unknown): AskDocument['error'] {
  if (!(thrown instanceof CrawlhouseError)) throw thrown;
  const { code, message, hint = null } = thrown;
  if (code !== 'bad_query' && code !== 'query_limit' && code !== 'usage') throw thrown;
  const [, said = message, place = null, line] = /^([\s\S]*?)\n\n(LINE (\d+):[\s\S]*)$/.exec(message) ?? [];
  return { code, message: said, hint, line: line === undefined ? null : Number(line), place };
}

function found(questions: readonly Question[], find: string): AskDocument['questions'] {
  const words = find.toLowerCase().split(/\s+/);
  return questions
    .filter(({ name, title, description }) => {
      const text = `${name} ${title} ${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .map(({ name, title, task }) => ({ name, title, task }));
}

/** Returns values of the parameters that name something in the warehouse, read once per publication. */
async function suggestions(
  readers: Readers,
  parameters: readonly { readonly name: string }[],
): Promise<AskDocument['suggestions']> {
  const wants = (name: string): boolean => parameters.some((parameter) => parameter.name === name);
  const projects = wants('project') ? await readers.readOnce('ask: projects', knownProjects) : [];
  return {
    project: projects.toSorted().map((value) => ({ value, label: value })),
    crawl: wants('crawl') ? await crawls(readers) : [],
  };
}

function crawls(readers: Readers): Promise<Suggestion[]> {
  return readers.once('ask: crawls', async () => {
    const sql = `SELECT crawl_id, project_name, CAST(CAST(ended_at AS DATE) AS VARCHAR) AS day
      FROM mart.crawls ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS}`;
    const rows = await readers.rows(sql, readers.closing).catch(withoutModels([]));
    return rows.map(({ crawl_id, project_name, day }) => {
      return { value: String(crawl_id), label: [project_name, day].filter(Boolean).join(', ') };
    });
  });
}
