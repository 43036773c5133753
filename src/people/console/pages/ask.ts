import type { RowsPage } from '../../../answers/query/result/page-of-rows.ts';
import { recordsOf } from '../../../answers/query/warehouse.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { chartFigures } from '../../../pipeline/transform/questions/chart-figures.ts';
import {
  CHART_KINDS,
  type Chart,
  chartColumns,
  chartProblem,
} from '../../../pipeline/transform/questions/question-chart.ts';
import type { Question } from '../../../pipeline/transform/questions/questions.ts';
import type { Note } from '../../../project/settings/notes.ts';
import { knownProjects } from '../../../state/catalogue/known-projects.ts';
import { type Readers, UNTIL_READ, withoutModels } from '../desk/desk.ts';
import { readAnswer, readChartRows, type View } from '../desk/read-answer.ts';
import { statementOf } from '../desk/statement.ts';
import { Ask, type AskDocument, type Suggestion } from '../page-parts/ask-document.ts';
import { projectsCalled } from '../page-parts/called-project.ts';
import { drawAsk } from '../page-parts/draw-ask.ts';
import { readNotes } from '../page-parts/notes.ts';
import { page } from '../page-parts/page.ts';

const NOTHING = {
  ...{ columns: [], rows: [], more: false, total: null, seconds: null, why: null, scope: [], chart: null },
};
const MOST_CRAWLS = 200;

export const ASK = page<AskDocument>({
  path: '/ask',
  summary: 'SQL and saved questions on the published warehouse, with their answers.',
  query: {
    question: 'The name of a saved question.',
    sql: 'One statement that reads.',
    'param.NAME': 'The value of a parameter.',
    run: 'Given, the statement is run, unless a page from elsewhere asks for it.',
    filter: 'Only rows that hold this text.',
    in: 'The column that is searched for it; all without it.',
    sort: 'The column that the rows are ordered by.',
    order: 'asc or desc.',
    page: 'The page of 100 rows, from 1.',
    chart: 'line, bar, stacked, scatter or histogram; without it, the one that the question declares.',
    x: 'The column along the chart.',
    y: 'The column of numbers up the chart; without it, rows are counted.',
    colour: 'The column that colours it.',
    find: 'Only saved questions with these words.',
  },
  schema: Ask,
  async read({ query, session, isOwn }, desk, signal) {
    const questions = await desk.questions();
    const statement = statementOf(query, questions, { kept: desk.texts, subject: session.subject });
    const { question, sql, parameters } = statement;
    const ran = query.has('run') && isOwn && sql.trim() !== '';
    const view = viewOf(query);
    const about = {
      question: question && {
        ...{ name: question.name, title: question.title, description: question.description.trim() },
        ...{ model: question.model, file: question.file },
      },
      sql,
      parameters: [...parameters],
      suggestions: await suggestions(desk, parameters),
      questions: found(questions, query.get('find') ?? ''),
      ran,
      page: view.page,
    };
    if (!ran) return { ...about, ...NOTHING, error: null };
    try {
      const read = await readAnswer(desk.asking, statement, view, signal);
      const choice = choiceOf(query, question);
      const drawn =
        choice &&
        (await chartOf(choice, read, view, (wanted) =>
          readChartRows(desk.asking, statement, wanted, signal),
        ));
      const asking = parameters.find(({ name }) => name === 'project')?.value ?? null;
      const chart = drawn && { ...drawn, notes: await notesOfFigures(desk, drawn, asking) };
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

/** The rows of a page that is the whole answer are not read again. */
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
      // A question has an order of its own: the last crawls first.
      ...(kind === 'line' && x !== null && each.length === 0 && { sort: { column: x, descending: false } }),
    });
    return { ...chart, rows: [...read.rows], cut: read.cut, problem };
  } catch (thrown) {
    // The answer is there all the same.
    const { code, message } = toCrawlhouseError(thrown);
    if (code !== 'query_limit') throw thrown;
    return { ...chart, rows: [], cut: false, problem: message };
  }
}

/**
 * The notes of the project that a chart is of.
 *
 * @param asked the project that the answer is asked for
 */
async function notesOfFigures(
  desk: Readers,
  chart: Omit<NonNullable<AskDocument['chart']>, 'notes'>,
  asked: string | null,
): Promise<NonNullable<AskDocument['chart']>['notes']> {
  const projects = new Set(chartFigures(chart, chart.rows).figures.map(({ project }) => project));
  return Promise.all(
    [...projects].map(async (project) => ({ project, list: await notesCalled(desk, project ?? asked) })),
  );
}

async function notesCalled(desk: Readers, project: string | null): Promise<Note[]> {
  const { projectDir } = desk.settings;
  // What may be of several projects has the notes of all alone.
  if (project === null) return (await readNotes(projectDir, { project_id: '', project_name: null })).list;
  const named = await projectsCalled(desk, project).catch(withoutModels([]));
  const [one = { project_id: project, project_name: project }] = named.length === 1 ? named : [];
  return (await readNotes(projectDir, one)).list;
}

/** The chart that the address asks for, else the question's own; its projects stay apart and its rows out in any. */
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

/** Errors that the person can correct; any other is an error of the page. */
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

/** Values of the parameters that name something in the warehouse, read once a publication. */
async function suggestions(
  desk: Readers,
  parameters: readonly { readonly name: string }[],
): Promise<AskDocument['suggestions']> {
  const wants = (name: string): boolean => parameters.some((one) => one.name === name);
  const projects = wants('project') ? await desk.readOnce('ask: projects', knownProjects) : [];
  return {
    project: projects.toSorted().map((value) => ({ value, label: value })),
    crawl: wants('crawl') ? await crawls(desk) : [],
  };
}

function crawls(desk: Readers): Promise<Suggestion[]> {
  return desk.once('ask: crawls', async () => {
    const sql = `SELECT crawl_id, project_name, CAST(CAST(ended_at AS DATE) AS VARCHAR) AS day
      FROM mart.crawls ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS}`;
    const rows = await desk.rows(sql, UNTIL_READ).catch(withoutModels([]));
    return rows.map(({ crawl_id, project_name, day }) => {
      return { value: String(crawl_id), label: [project_name, day].filter(Boolean).join(', ') };
    });
  });
}
