import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { growingPath, writeWhole } from '../../core/atomic-file.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { type ParameterTexts, PublishedWarehouse } from '../../query/query-warehouse.ts';
import { writeResult } from '../../query/write-result.ts';
import { loadQuestions } from '../../transform/questions.ts';
import { sqlFolders } from '../../transform/sql-folders.ts';
import type { Command, Invocation } from '../command.ts';
import { printError } from '../print-error.ts';
import { runPrompt } from '../query-prompt.ts';
import { QUERY_FORMATS, type QueryTarget, queryTarget, withTextFile } from '../query-target.ts';
import { textTable } from '../text-table.ts';

export const query: Command = {
  name: 'query',
  summary: 'read-only SQL on the published warehouse',
  positionals: { shown: '[SQL]', most: 2 },
  flags: {
    file: { type: 'string', value: 'F', help: 'the SQL of this file' },
    question: { type: 'boolean', help: 'a saved question, by name; without one: list them' },
    param: {
      type: 'string',
      short: 'p',
      value: 'NAME=VALUE',
      multiple: true,
      help: 'the value of $NAME in the SQL',
    },
    format: { type: 'string', value: 'FORMAT', help: `${QUERY_FORMATS.join(', ')} (table)` },
    output: { type: 'string', value: 'F', help: 'write to this file; its ending says the format' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const target = queryTarget(invocation);
    const parameters = parametersOf(invocation.texts('param'));
    if (invocation.has('question') && invocation.positionals.length === 0)
      return listQuestions(invocation, settings);
    const sql = await sqlOf(invocation, settings);
    using warehouse = await PublishedWarehouse.open({
      warehouse: settings.warehouse,
      memoryLimit: settings.memory_limit,
      threads: settings.threads,
      ...(target.path === null ? {} : { output: growingPath(target.path) }),
    });
    if (sql === null) return await prompt(invocation, settings, warehouse, target);
    const rows = await answer(invocation, warehouse, { sql, parameters }, target);
    invocation.say(
      `${rows} ${rows === 1 ? 'row' : 'rows'}${target.path === null ? '' : ` in ${invocation.text('output')}`}\n`,
    );
    return 0;
  },
};

/** @throws CrawlhouseError `usage` */
function parametersOf(texts: readonly string[]): ParameterTexts {
  const parameters = new Map<string, string>();
  for (const text of texts) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw new CrawlhouseError('usage', `--param ${text}: not NAME=VALUE`, { hint: '--param crawl=65a1…' });
    }
    if (parameters.has(name)) throw new CrawlhouseError('usage', `--param ${name} is given twice`);
    parameters.set(name, value);
  }
  return parameters;
}

/** The SQL that is asked for; null opens the prompt. */
async function sqlOf(invocation: Invocation, settings: Settings): Promise<string | null> {
  const file = invocation.text('file');
  const given = [...invocation.positionals];
  const sources = given.length + (file === undefined ? 0 : 1);
  if (sources > 1) throw new CrawlhouseError('usage', 'one SQL text, file or question at a time');
  const [text] = given;
  if (invocation.has('question') && text !== undefined) return questionSql(settings, text);
  if (text !== undefined) return text;
  if (file === undefined) return null;
  try {
    return await readFile(resolve(invocation.workingDirectory, file), 'utf8');
  } catch (cause) {
    throw new CrawlhouseError('usage', `--file: ${file} cannot be read`, { cause });
  }
}

async function questionSql(settings: Settings, name: string): Promise<string> {
  const questions = await loadQuestions(sqlFolders(settings));
  const question = questions.find((one) => one.name === name);
  if (question) return question.sql;
  throw new CrawlhouseError('usage', `there is no saved question ${name}`, {
    hint: `questions: ${questions.map((one) => one.name).join(', ')}`,
  });
}

async function listQuestions(invocation: Invocation, settings: Settings): Promise<number> {
  const questions = await loadQuestions(sqlFolders(settings));
  const listed = questions.map(({ name, title, model }) => ({ name, title, model }));
  if (invocation.has('json')) await invocation.write(`${stringifyJson(listed, 2)}\n`);
  else {
    const rows = listed.map((one) => [one.name, one.title, one.model]);
    await invocation.write(textTable(['name', 'title', 'model'], rows));
  }
  return 0;
}

async function answer(
  { signal, write }: Invocation,
  warehouse: PublishedWarehouse,
  { sql, parameters }: { readonly sql: string; readonly parameters: ParameterTexts },
  { path, format }: QueryTarget,
): Promise<number> {
  if (format === 'parquet') {
    if (path === null) throw new Error('parquet without a file');
    return await writeWhole(path, (growing) => warehouse.writeParquet(sql, growing, signal, parameters));
  }
  const rows = (to: typeof write): Promise<number> =>
    warehouse.ask(sql, signal, (result) => writeResult(result, format, to), parameters);
  return path === null ? await rows(write) : await writeWhole(path, (growing) => withTextFile(growing, rows));
}

async function prompt(
  invocation: Invocation,
  settings: Settings,
  warehouse: PublishedWarehouse,
  { path, format }: QueryTarget,
): Promise<number> {
  if (path !== null || format === 'parquet') {
    throw new CrawlhouseError('usage', '--output needs the SQL on the command line', {
      hint: "crawlhouse query 'SELECT …' --output rows.parquet",
    });
  }
  return await runPrompt({
    input: process.stdin,
    terminal: process.stdin.isTTY ? process.stderr : null,
    historyFile: join(settings.state_dir, 'query_history'),
    warehouse,
    questions: await loadQuestions(sqlFolders(settings)),
    format,
    signal: invocation.signal,
    write: invocation.write,
    say: invocation.say,
    sayError: (error, thrown) => printError(error, invocation.has('debug'), thrown),
  });
}
