import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { bindQuestion } from '../../../etl/project/sql/questions/bind-question.ts';
import { type Question, questionNamed } from '../../../etl/project/sql/questions/questions.ts';
import { firstThings } from './first-things.ts';

export const QUESTIONS = {
  trend: 'q21_kpi_trend',
  statuses: 'q05_status_codes_by_crawl',
  funnel: 'q04_indexability_funnel',
  changes: 'q06_page_changes_by_crawl',
} as const;

export const AnswerRow = z.record(z.string(), z.unknown());
export type AnswerRows = readonly Typed<typeof AnswerRow>[];

/** The crawls of questions about a project or a crawl. */
const ASKED = `found.segmentation = '(site)' AND found.crawl_id IN (SELECT crawl_id FROM mart.crawls
  WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
    AND (($crawl IS NULL AND is_main) OR crawl_id = $crawl))`;

/** Runs a statement on the published warehouse. */
export type Ask = (sql: string, parameters: ReadonlyMap<string, string | null>) => Promise<AnswerRows>;

/** The answers of the saved questions; each row names its crawl in `crawl_id`. */
export interface CrawlAnswers {
  readonly statuses: AnswerRows;
  readonly funnel: AnswerRows;
  /** Empty for the first crawl of a site. */
  readonly changes: AnswerRows;
  /** Issues with their pages, the first things to do first. */
  readonly findings: AnswerRows;
}

export function mapAnswers<T, R>(
  answers: Readonly<Record<keyof CrawlAnswers, T>>,
  of: (answer: T) => R,
): Record<keyof CrawlAnswers, R> {
  const { statuses, funnel, changes, findings } = answers;
  return { statuses: of(statuses), funnel: of(funnel), changes: of(changes), findings: of(findings) };
}

/** Reads the answers about one crawl, one project or all projects, as the parameters in `given` select. */
export async function readCrawlAnswers(
  ask: Ask,
  questions: readonly Question[],
  given: ReadonlyMap<string, string>,
): Promise<CrawlAnswers> {
  const of = (name: keyof typeof QUESTIONS, select: (answer: string) => string): Promise<AnswerRows> =>
    askQuestion(ask, questions, QUESTIONS[name], { given, select });
  return {
    statuses: await of(
      'statuses',
      (answer) =>
        `SELECT crawl_id, status_code, pages, pages_percent FROM ${answer} WHERE segment IS NULL
         ORDER BY crawl_id, status_code, pages, pages_percent`,
    ),
    funnel: await of(
      'funnel',
      (answer) =>
        `SELECT crawl_id, known, fetched, answered_200, indexable, canonical, canonical_not_set FROM ${answer}
         ORDER BY crawl_id, known, fetched, answered_200, indexable, canonical, canonical_not_set`,
    ),
    changes: await of(
      'changes',
      (answer) => `SELECT crawl_id, change, pages FROM ${answer} ORDER BY pages DESC, change, crawl_id`,
    ),
    findings: await ask(firstThings(ASKED), new Map([['project', null], ['crawl', null], ...given])),
  };
}

/** Runs a statement on the whole answer of a saved question, without its limit. */
export function askQuestion(
  ask: Ask,
  questions: readonly Question[],
  name: string,
  asked: { readonly given: ReadonlyMap<string, string>; readonly select: (answer: string) => string },
): Promise<AnswerRows> {
  const { sql, parameters } = bindQuestion(questionNamed(questions, name), asked.given);
  return ask(asked.select(`(\n${sql}\n) AS answer`), new Map([...parameters, ['limit', null]]));
}
