import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Settings } from '../../config/settings.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { PublishedWarehouse } from '../../query/query-warehouse.ts';
import { QUERY_FORMATS, type QueryFormat, writeResult } from '../../query/write-result.ts';
import { loadQuestions } from '../../transform/questions.ts';
import type { Command, Invocation } from '../command.ts';
import { printError } from '../print-error.ts';
import { textTable } from '../text-table.ts';

export const query: Command = {
  name: 'query',
  summary: 'read-only SQL on the published warehouse',
  positionals: { shown: '[SQL]', most: 2 },
  flags: {
    file: { type: 'string', value: 'F', help: 'the SQL of this file' },
    question: { type: 'boolean', help: 'a saved question, by name; without one: list them' },
    format: { type: 'string', value: 'FORMAT', help: `${QUERY_FORMATS.join(', ')} (table)` },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const format = queryFormat(invocation);
    if (invocation.has('question') && invocation.positionals.length === 0)
      return listQuestions(invocation, settings);
    const sql = await sqlOf(invocation, settings);
    using warehouse = await PublishedWarehouse.open({
      warehouse: settings.warehouse,
      memoryLimit: settings.memory_limit,
      threads: settings.threads,
    });
    if (sql === null) return await prompt(invocation, warehouse, format);
    await answer(invocation, warehouse, sql, format);
    return 0;
  },
};

function queryFormat(invocation: Invocation): QueryFormat {
  const text = invocation.text('format') ?? (invocation.has('json') ? 'json' : 'table');
  const format = QUERY_FORMATS.find((one) => one === text);
  if (format) return format;
  throw new CrawlhouseError('usage', `--format: ${text} does not work`, {
    hint: `formats: ${QUERY_FORMATS.join(', ')}`,
  });
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
  const questions = await loadQuestions(join(settings.projectDir, 'sql'));
  const question = questions.find((one) => one.name === name);
  if (question) return question.sql;
  throw new CrawlhouseError('usage', `there is no saved question ${name}`, {
    hint: `questions: ${questions.map((one) => one.name).join(', ')}`,
  });
}

async function listQuestions(invocation: Invocation, settings: Settings): Promise<number> {
  const questions = await loadQuestions(join(settings.projectDir, 'sql'));
  const listed = questions.map(({ name, title, model }) => ({ name, title, model }));
  if (invocation.has('json')) await invocation.write(`${stringifyJson(listed, 2)}\n`);
  else {
    const rows = listed.map((one) => [one.name, one.title, one.model]);
    await invocation.write(textTable(['name', 'title', 'model'], rows));
  }
  return 0;
}

async function answer(
  invocation: Invocation,
  warehouse: PublishedWarehouse,
  sql: string,
  format: QueryFormat,
): Promise<void> {
  const rows = await warehouse.ask(sql, invocation.signal, (result) =>
    writeResult(result, format, invocation.write),
  );
  invocation.say(`${rows} ${rows === 1 ? 'row' : 'rows'}\n`);
}

/** Reads statements that end with a semicolon, from a person or a pipe, until the input ends. */
async function prompt(
  invocation: Invocation,
  warehouse: PublishedWarehouse,
  format: QueryFormat,
): Promise<number> {
  const lines = createInterface({
    input: process.stdin,
    output: process.stdin.isTTY ? process.stderr : undefined,
    prompt: 'crawlhouse> ',
  });
  let statement = '';
  let failed = 0;
  if (process.stdin.isTTY) lines.prompt();
  const ask = async (): Promise<void> => {
    const sql = statement.trim();
    statement = '';
    if (sql === '' || sql === ';') return;
    try {
      await answer(invocation, warehouse, sql, format);
    } catch (thrown) {
      const error = toCrawlhouseError(thrown);
      printError(error, invocation.has('debug'));
      failed = error.exitCode;
      if (!process.stdin.isTTY) lines.close();
    }
  };
  for await (const line of lines) {
    statement += `${line}\n`;
    if (line.trimEnd().endsWith(';')) await ask();
    if (process.stdin.isTTY) lines.prompt();
  }
  await ask();
  return process.stdin.isTTY ? 0 : failed;
}
