import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { isCode, nameOf, sqlTokens } from '../../../core/duckdb/sql-tokens.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { loadModels } from '../../../project/sql/models/load-models.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { QUESTIONS_FOLDER, sqlFolder, sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { compileAgainstPublished, type QuestionSettings } from './compile-questions.ts';
import { parametersOf, STANDARD_PARAMETERS } from './question-parameters.ts';
import { loadQuestions, type Question, readQuestion } from './questions.ts';

/** The input of a person who keeps SQL as a question. */
export interface QuestionDraft {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly sql: string;
  /** Of each `$name` that is no standard parameter. */
  readonly parameters: ReadonlyMap<string, { readonly type: string; readonly description: string }>;
}

/**
 * Writes a question to the folder of the project, once it compiles. A question of its name stays as it is.
 *
 * @throws CrawlhouseError `usage` for its name; `bad_model` naming file and line
 */
export async function keepQuestion(settings: QuestionSettings, draft: QuestionDraft): Promise<Question> {
  const { name } = draft;
  if (!/^[a-z][a-z0-9_]{0,99}$/.test(name))
    throw new CrawlhouseError('usage', `a question can't be named ${name}`, {
      hint: 'use small letters, digits and _, a letter first, such as q90_broken_pages',
    });
  const folders = sqlFolders(settings);
  const isTaken = (await loadQuestions(folders)).some((one) => one.name === name);
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
  return new CrawlhouseError('usage', `there is a question ${name} already`, { hint: 'choose another name' });
}

/** The first model that the SQL names. */
function modelOf(sql: string, models: readonly Model[]): string {
  const code = sqlTokens(sql).filter(isCode);
  const names = code.map((token, at) =>
    code[at + 1]?.text === '.' ? `${nameOf(token)}.${nameOf(code[at + 2])}`.toLowerCase() : '',
  );
  const found = names.find((name) => models.some((model) => model.name === name));
  if (found !== undefined) return found;
  throw new CrawlhouseError('usage', 'the SQL names no model, so it can be no question', {
    hint: 'read a model of the project, such as mart.pages',
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
  // The end of a comment can only be escaped within quotes.
  const quoted = JSON.stringify(header).includes('*/') ? 'QUOTE_DOUBLE' : 'PLAIN';
  const yaml = stringify(header, { defaultStringType: quoted, defaultKeyType: 'PLAIN', lineWidth: 118 });
  return `/*\n${yaml.replaceAll('*/', '*\\/')}*/\n${sql.trim().replaceAll('\r\n', '\n')}\n`;
}
