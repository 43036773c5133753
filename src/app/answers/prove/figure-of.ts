import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { type SqlSettings, sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { bindQuestion } from '../../../etl/project/sql/questions/bind-question.ts';
import { loadQuestions, questionNamed } from '../../../etl/project/sql/questions/questions.ts';
import { resolveParameters } from '../../../etl/state/catalog/resolve-parameters.ts';
import { CHOSEN, ChosenCrawl, chosenBy, onlyCrawl, rowsOf } from '../explore/chosen-crawls.ts';
import type { Warehouse } from '../query/warehouse.ts';
import type { ProvenFigure } from './make-proof.ts';

const ISSUE = `SELECT changes.issue, changes.pages, changes.new, changes.fixed, changes.missing, changes.remaining
FROM mart.issue_changes AS changes
WHERE changes.crawl_id = $crawl AND changes.issue = $issue`;

/** A card of a project's page in the console: a figure of the whole site. */
const cardSql = (name: string): string => `SELECT site."${name}"
FROM mart.crawl_segments AS site
WHERE site.crawl_id = $crawl AND site.segmentation = '(site)'`;

/** What the user wants to prove: `question:NAME`, `issue:NAME`, `card:NAME` or SQL, with values by name. */
export interface AskedFigure {
  readonly figure: string;
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Returns the SQL of a figure with its parameters.
 *
 * @throws CrawlhouseError `usage` for an unknown question, project or crawl
 */
export async function figureOf(
  warehouse: Warehouse,
  settings: SqlSettings,
  { figure, values }: AskedFigure,
  signal: AbortSignal,
): Promise<ProvenFigure> {
  const [, kind, name = ''] = /^(question|issue|card):(\w+)$/.exec(figure) ?? [];
  if (kind === undefined) {
    const parameters = await resolveParameters({ parameters: values, isQuestion: false }, warehouse, signal);
    return { figure: 'sql', sql: figure, parameters };
  }
  if (kind === 'question') {
    const { sql, parameters } = bindQuestion(
      questionNamed(await loadQuestions(sqlFolders(settings)), name),
      values,
    );
    return {
      figure,
      sql,
      parameters: await resolveParameters({ parameters, isQuestion: true }, warehouse, signal),
    };
  }
  const other = [...values.keys()].find((value) => value !== 'project' && value !== 'crawl');
  if (other !== undefined)
    throw new CrawlhouseError('usage', `${figure} has no parameter ${other}`, {
      hint: 'parameters: project, crawl',
    });
  const asked = { project: values.get('project'), crawl: values.get('crawl') };
  const chosen = await chosenBy(asked, warehouse, signal);
  const { crawl_id } = onlyCrawl(await rowsOf(warehouse, ChosenCrawl, CHOSEN, chosen, signal));
  const crawl = ['crawl', crawl_id] as const;
  return kind === 'issue'
    ? { figure, sql: ISSUE, parameters: new Map([crawl, ['issue', name]]) }
    : { figure, sql: cardSql(name), parameters: new Map([crawl]) };
}
