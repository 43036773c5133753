import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { readText } from '../../../../core/files/read-text.ts';
import { nearNames } from '../../../../core/text/nearest-name.ts';
import { checkHeader } from '../models/check-header.ts';
import { QUESTIONS_FOLDER, type SqlFolder } from '../models/sql-folders.ts';
import { type SqlFile, splitSqlFile } from '../text/sql-file.ts';
import { firstWord } from '../text/sql-tree.ts';
import { type Chart, ChartHeader } from './question-chart.ts';
import { type Needs, NeedsHeader } from './question-needs.ts';
import {
  checkParameters,
  declaredParameters,
  type Parameter,
  ParametersHeader,
} from './question-parameters.ts';

/** The tasks of users, in the order in which their questions are offered. */
export const TASKS = [
  'What to do first',
  'Indexability',
  'What changed',
  'Links',
  'Redirects and migrations',
  'Content and templates',
  'Bots and crawl budget',
  'Search results',
  'Other',
] as const;

const QuestionHeader = z.strictObject({
  title: z.string().min(1),
  task: z.enum(TASKS).default('Other'),
  model: z.string().regex(/^mart\.[a-z][a-z0-9_]*$/, 'a question reads a model: mart.<name>'),
  description: z.string().min(1),
  parameters: ParametersHeader,
  needs: NeedsHeader,
  chart: ChartHeader,
});

/** A saved question: one SELECT on the published warehouse. */
export interface Question {
  /** The file's name: `q05_status_codes_by_crawl`. */
  readonly name: string;
  readonly title: string;
  readonly task: (typeof TASKS)[number];
  /** The main model that it reads. */
  readonly model: string;
  readonly description: string;
  /** The `$name`s of its SQL, in the order of the header. */
  readonly parameters: readonly Parameter[];
  /** The data that must be in the warehouse for any rows. */
  readonly needs: Needs;
  /** Null if a chart would not help. */
  readonly chart: Chart | null;
  chartLine(): number;
  /** The SQL of its file; `bindQuestion` makes a statement of it. */
  readonly sql: string;
  /** In errors: `sql/questions/<name>.sql`. */
  readonly file: string;
  /** The line of the file that `sql` begins on. */
  readonly sqlLine: number;
}

/** Cached by file, so that an unchanged file is read once. */
const KNOWN = new WeakMap<SqlFile, Question>();

/**
 * Reads the saved questions under `questions/` of the given folders, ordered by name. A question of a later folder
 * replaces one of the same name.
 *
 * @throws CrawlhouseError `bad_model` naming file, line, key and valid values
 */
export async function loadQuestions(folders: readonly SqlFolder[]): Promise<Question[]> {
  const questions = new Map<string, Question>();
  for (const folder of folders)
    for (const question of await folderQuestions(folder)) questions.set(question.name, question);
  return [...questions.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Returns the question with this name, or with an unambiguous prefix of its name.
 *
 * @throws CrawlhouseError `usage` if there is no such question, or more than one
 */
export function questionNamed(questions: readonly Question[], name: string): Question {
  const begun = questions.filter((question) => name !== '' && question.name.startsWith(name));
  const question =
    begun.find((question) => question.name === name) ?? (begun.length === 1 ? begun[0] : undefined);
  if (question) return question;
  if (begun.length > 1)
    throw new CrawlhouseError('usage', `${begun.length} saved questions begin with ${name}`, {
      hint: `use a longer prefix: ${begun.map((question) => question.name).join(', ')}`,
    });
  const names = questions.map((question) => question.name);
  const near = nearQuestions(name, names);
  const meant = near.length === 0 ? '' : `did you mean ${near.join(' or ')}? `;
  throw new CrawlhouseError('usage', `there is no saved question ${name}`, {
    hint: `${meant}crawlhouse query --question lists them`,
  });
}

/** Returns names that resemble the given one, contain it, or begin nearly like it. */
function nearQuestions(name: string, names: readonly string[]): readonly string[] {
  const least = 3;
  const begin = (one: string): string => one.slice(0, name.length);
  const near = new Set(nearNames(name, names));
  if (name.length < least) return [...near];
  const begins = nearNames(name, [...new Set(names.map(begin))]);
  const more = names.filter((one) => one.includes(name) || begins.includes(begin(one)));
  return [...near.union(new Set(more))].slice(0, 3);
}

async function folderQuestions(sqlFolder: SqlFolder): Promise<Question[]> {
  const folder = join(sqlFolder.path, QUESTIONS_FOLDER);
  if (!existsSync(folder)) return [];
  const questions: Question[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (!name.endsWith('.sql')) continue;
    questions.push(readQuestion(sqlFolder, name, await readText(join(folder, name))));
  }
  return questions;
}

/**
 * Reads one question.
 *
 * @param name of its file
 * @throws CrawlhouseError `bad_model` naming file, line, key and valid values
 */
export function readQuestion({ shown }: SqlFolder, name: string, text: string): Question {
  const source = splitSqlFile(`${shown}/${QUESTIONS_FOLDER}/${name}`, text);
  const known = KNOWN.get(source);
  if (known !== undefined) return known;
  const header = checkHeader(QuestionHeader, source);
  const parameters = declaredParameters(header.parameters);
  checkParameters(source, parameters);
  const { file, sql, sqlLine } = source;
  const question = {
    name: basename(name, '.sql'),
    ...header,
    parameters,
    chartLine: () => source.lineOf(['chart']),
    sql: sql.trim(),
    file,
    sqlLine: firstWord(sql, { file, line: sqlLine }).line,
  };
  KNOWN.set(source, question);
  return question;
}
