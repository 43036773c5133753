import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { isCode, nameOf, sqlTokens } from '../../../core/duckdb/sql-tokens.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import {
  compileAgainstPublished,
  type QuestionSettings,
} from '../../../etl/pipeline/transform/tests/compile-questions.ts';
import { loadModels } from '../../../etl/project/sql/models/load-models.ts';
import type { Model } from '../../../etl/project/sql/models/model.ts';
import { QUESTIONS_FOLDER, sqlFolder, sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { parametersOf, STANDARD_PARAMETERS } from '../../../etl/project/sql/questions/question-parameters.ts';
import { loadQuestions, type Question, readQuestion } from '../../../etl/project/sql/questions/questions.ts';

export interface QuestionDraft {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly sql: string;
  /** For each `$name` that is not a standard parameter. */
  readonly parameters: ReadonlyMap<string, { readonly type: string; readonly description: string }>;
}

/**
 * Writes a question to the project folder if it compiles. Never replaces a question with the same name.
 *
 * @throws CrawlhouseError `usage` for its name; `bad_model` naming file and line
 */
export async function keepQuestion(settings: QuestionSettings, draft: QuestionDraft): Promise<Question> {
  const { name } = draft;
  if (!/^[a-z][a-z0-9_]{0,99}$/.test(name))
    throw new CrawlhouseError('usage', `a question cannot be named ${name}`, {
      hint: 'use lowercase letters, digits and _, starting with a letter, such as q90_broken_pages',
    });
  const folders = sqlFolders(settings);
  const isTaken = (await loadQuestions(folders)).some((question) => question.name === name);
  if (isTaken) throw taken(name);
  const models = await loadModels(folders);
  const text = textOf(draft, modelOf(draft.sql, models));
  const folder = join(settings.projectDir, 'sql');
  const question = readQuestion(sqlFolder(folder), `${name}.sql`, text);
  await compileAgainstPublished(settings, [question], models);
  makeFolder(join(folder, QUESTIONS_FOLDER));
  try {
    await writeFile(join(folder, QUESTIONS_FOLDER, `${name}.sql`), text, { flag: 'wx' });
  } catch (cause) {
    throw (cause as { code?: string }).code === 'EEXIST' ? taken(name) : cause;
  }
  return question;
}

function taken(name: string): CrawlhouseError {
  return new CrawlhouseError('usage', `the question ${name} already exists`, { hint: 'choose another name' });
}

function modelOf(sql: string, models: readonly Model[]): string {
  const code = sqlTokens(sql).filter(isCode);
  const names = code.map((token, at) =>
    code[at + 1]?.text === '.' ? `${nameOf(token)}.${nameOf(code[at + 2])}`.toLowerCase() : '',
  );
  const found = names.find((name) => models.some((model) => model.name === name));
  if (found !== undefined) return found;
  throw new CrawlhouseError('usage', 'the SQL reads no model, so it cannot be a question', {
    hint: 'query a model of the project, such as mart.pages',
  });
}

function textOf({ title, description, sql, parameters }: QuestionDraft, model: string): string {
  const names = parametersOf(sql).map((name): [string, unknown] => [
    name,
    Object.hasOwn(STANDARD_PARAMETERS, name) ? null : { ...parameters.get(name) },
  ]);
  const header = {
    title: title.trim(),
    model,
    description: description.trim(),
    ...(names.length > 0 && { parameters: Object.fromEntries(names) }),
  };
  // The end of a comment can be escaped only within quotes.
  const quoted = JSON.stringify(header).includes('*/') ? 'QUOTE_DOUBLE' : 'PLAIN';
  const yaml = stringify(header, { defaultStringType: quoted, defaultKeyType: 'PLAIN', lineWidth: 118 });
  return `/*\n${yaml.replaceAll('*/', '*\\/')}*/\n${sql.trim().replaceAll('\r\n', '\n')}\n`;
}
