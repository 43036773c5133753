import { ident } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { type SqlSettings, sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { bindQuestion } from '../../../etl/project/sql/questions/bind-question.ts';
import { loadQuestions, type Question, questionNamed } from '../../../etl/project/sql/questions/questions.ts';
import { resolveParameters } from '../../../etl/state/catalog/resolve-parameters.ts';
import { asking, CHOSEN, ChosenCrawl, chosenBy, onlyCrawl, rowsOf } from '../explore/chosen-crawls.ts';
import { checkIssue } from '../explore/pages/page-statement.ts';
import { NO_PARAMETERS, type Warehouse } from '../query/warehouse.ts';
import type { ProvenFigure } from './make-proof.ts';

const ISSUE = `SELECT issue, pages, previous_pages, new_pages, fixed_pages, missing_pages, remaining_pages, unseen_pages
FROM mart.issue_changes
WHERE crawl_id = $crawl AND issue = $issue`;

/** A card of a project's page in the console: a figure of the whole site. */
const cardSql = (name: string): string => `SELECT site.${ident(name)}
FROM mart.crawl_segments AS site
WHERE site.crawl_id = $crawl AND site.segmentation = '(site)'`;

export const FIGURES = 'crawlhouse prove issue:noindex, question:q05, card:indexable_pages or SQL';

/** What the user wants to prove, with values by name. */
export interface AskedFigure {
  readonly figure: string;
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Returns the SQL of a figure with its parameters.
 *
 * @throws CrawlhouseError `usage` for an unknown figure, project or crawl
 */
export async function figureOf(
  warehouse: Warehouse,
  settings: SqlSettings,
  { figure, values }: AskedFigure,
  signal: AbortSignal,
): Promise<ProvenFigure> {
  const { kind, name } = partsOf(figure);
  if (kind === 'sql') {
    const parameters = await resolveParameters({ parameters: values, isQuestion: false }, warehouse, signal);
    return { figure: 'sql', sql: figure, parameters };
  }
  if (kind === 'question') {
    const question = questionNamed(await loadQuestions(sqlFolders(settings)), name);
    const { parameters } = bindQuestion(question, values);
    return {
      figure: `question:${question.name}`,
      sql: questionSql(question),
      parameters: await resolveParameters({ parameters, isQuestion: true }, warehouse, signal),
    };
  }
  const other = [...values.keys()].find((value) => value !== 'project' && value !== 'crawl');
  if (other !== undefined)
    throw new CrawlhouseError('usage', `${figure} has no parameter ${other}`, {
      hint: 'its parameters: project, crawl',
    });
  const asked = { project: values.get('project'), crawl: values.get('crawl') };
  const chosen = await chosenBy(asked, warehouse, signal);
  const { crawl_id } = onlyCrawl(await rowsOf(warehouse, ChosenCrawl, CHOSEN, chosen, signal));
  const crawl = ['crawl', crawl_id] as const;
  if (kind === 'card') {
    await checkCard(warehouse, name, signal);
    return { figure, sql: cardSql(name), parameters: new Map([crawl]) };
  }
  await checkIssue(asking(warehouse, signal), name);
  return { figure, sql: ISSUE, parameters: new Map([crawl, ['issue', name]]) };
}

async function checkCard(warehouse: Warehouse, name: string, signal: AbortSignal): Promise<void> {
  const { columns } = await warehouse.page(
    { sql: 'SELECT * FROM mart.crawl_segments', parameters: NO_PARAMETERS, page: { limit: 1 } },
    signal,
  );
  const names = columns.map((column) => column.name);
  if (names.includes(name)) return;
  throw new CrawlhouseError('usage', `there is no card ${name}`, {
    hint: `${didYouMean(name, names)}a card is a column of mart.crawl_segments`,
  });
}

/** Returns the SQL of a proven figure in this project; null if the project does not have it. */
export async function sqlOfFigure(
  { figure, sql }: Pick<ProvenFigure, 'figure' | 'sql'>,
  settings: SqlSettings,
): Promise<string | null> {
  if (figure === 'sql') return sql;
  const { kind, name } = partsOf(figure);
  if (kind === 'issue') return ISSUE;
  if (kind === 'card') return cardSql(name);
  const question = (await loadQuestions(sqlFolders(settings))).find((one) => one.name === name);
  return question === undefined ? null : questionSql(question);
}

/** Without the empty lines of its header, which do not change the answer. */
const questionSql = (question: Question): string => bindQuestion(question).sql.trim();

type Kind = (typeof KINDS)[number] | 'sql';
const KINDS = ['question', 'issue', 'card'] as const;

/** @throws CrawlhouseError `usage` for an unknown kind of figure */
function partsOf(figure: string): { readonly kind: Kind; readonly name: string } {
  const [, word = 'question', name] = /^(?:(\w+):)?(\w+)$/.exec(figure.trim()) ?? [];
  if (name === undefined) return { kind: 'sql', name: figure };
  const kind = KINDS.find((one) => one === word);
  if (kind !== undefined) return { kind, name };
  throw new CrawlhouseError('usage', `${figure} is not a figure`, { hint: FIGURES });
}
