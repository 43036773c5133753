import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { checkHeader } from './check-header.ts';
import { splitSqlFile } from './sql-file.ts';

/** The folder of `sql/` that holds saved questions; every other one holds models. */
export const QUESTIONS_FOLDER = 'questions';

const QuestionHeader = z.strictObject({
  title: z.string().min(1),
  model: z.string().regex(/^mart\.[a-z][a-z0-9_]*$/, 'a question reads a model: mart.<name>'),
  description: z.string().min(1),
});

/** A saved question: one SELECT on the published warehouse. */
export interface Question {
  /** The file's name: `q05_status_codes_by_crawl`. */
  readonly name: string;
  readonly title: string;
  /** The model that it reads in the first place. */
  readonly model: string;
  readonly description: string;
  readonly sql: string;
}

/**
 * Reads the saved questions under `sql/questions/`, ordered by name.
 *
 * @throws CrawlhouseError `bad_model` naming file, line, key and what would work
 */
export async function loadQuestions(sqlDir: string): Promise<Question[]> {
  const folder = join(sqlDir, QUESTIONS_FOLDER);
  if (!existsSync(folder)) return [];
  const questions: Question[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (!name.endsWith('.sql')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    const source = splitSqlFile(`sql/${QUESTIONS_FOLDER}/${name}`, text);
    const header = checkHeader(QuestionHeader, source);
    questions.push({ name: basename(name, '.sql'), ...header, sql: source.sql.trim() });
  }
  return questions;
}
