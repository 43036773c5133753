import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { bindQuestion } from '../../../etl/project/sql/questions/bind-question.ts';
import type { Needs } from '../../../etl/project/sql/questions/question-needs.ts';
import { type Question, questionNamed } from '../../../etl/project/sql/questions/questions.ts';
import { type Catalog, readCatalog } from '../../../etl/state/catalog/catalog.ts';
import { resolveParameters } from '../../../etl/state/catalog/resolve-parameters.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import type { ParameterTexts } from '../../answers/query/parameters.ts';
import { TEXT_FORMATS, type TextFormat } from '../../answers/query/result/text-formats.ts';
import type { Write } from '../../answers/query/result/write-result.ts';
import type { Warehouse } from '../../answers/query/warehouse.ts';
import { explainEmpty } from '../../answers/questions/explain-empty.ts';
import { type Screen, throughPager } from '../pager.ts';
import { completions, DOT_COMMANDS, dotCommand, questionWords } from './prompt-words.ts';

const HISTORY_LINES = 1000;

export interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  /** The output of the prompt itself; null when a program writes the statements. */
  readonly terminal: NodeJS.WritableStream | null;
  /** The statements of earlier prompts, newest first, one per line. */
  readonly historyFile: string;
  readonly warehouse: Warehouse;
  readonly questions: readonly Question[];
  readonly format: TextFormat;
  readonly signal: AbortSignal;
  /** The screen whose pager shows longer results; null if there is none. */
  readonly screen: Screen | null;
  /** Current characters per line of the terminal; null if there is none. */
  readonly width: (() => number) | null;
  readonly write: Write;
  readonly say: (text: string) => void;
  readonly sayError: (error: CrawlhouseError, thrown: unknown) => void;
}

/**
 * Reads statements that end with a semicolon, and dot commands, until the input ends. On a terminal, it prints an error
 * and waits for the next statement; from a pipe, the first error ends it.
 *
 * @returns the exit code
 */
export async function runPrompt(options: PromptOptions): Promise<number> {
  return await new Prompt(options, await readCatalog(options.warehouse, options.signal)).run();
}

class Prompt {
  readonly #options: PromptOptions;
  readonly #catalog: Catalog;
  #format: TextFormat;
  /** The format before `\\x`. */
  #former: TextFormat = 'table';
  #statement = '';
  /** Interrupts the running statement, not the prompt. */
  #interruption = new AbortController();
  #running = false;
  /** Whether the input has ended, possibly while a statement runs. */
  #isClosed = false;

  constructor(options: PromptOptions, catalog: Catalog) {
    this.#options = options;
    this.#catalog = catalog;
    this.#format = options.format;
  }

  async run(): Promise<number> {
    const { input, terminal, historyFile, questions, signal, say } = this.#options;
    const lines = createInterface({
      input,
      ...(terminal === null ? {} : { output: terminal, history: readHistory(historyFile) }),
      terminal: terminal !== null,
      historySize: HISTORY_LINES,
      removeHistoryDuplicates: true,
      completer: (line: string) => completions(line, this.#statement, this.#catalog, questions),
    });
    let history: readonly string[] = [];
    lines.on('history', (all: string[]) => {
      history = [...all];
    });
    lines.on('close', () => {
      this.#isClosed = true;
    });
    lines.on('SIGINT', () => {
      if (this.#running)
        return this.#interruption.abort(
          new CrawlhouseError('interrupted', 'interrupted', { hint: 'a LIMIT makes it shorter' }),
        );
      this.#statement = '';
      // Readline's own keys: to the end of the line, then delete everything before the cursor.
      for (const name of ['e', 'u']) lines.write(null, { ctrl: true, name });
      say('\n');
      this.#draw(lines);
    });
    if (terminal !== null) say('.help lists the commands next to SQL; Ctrl-D exits.\n');
    this.#draw(lines);
    let failed = 0;
    try {
      for await (const line of lines) {
        const code = await this.#take(line);
        if (code === 'quit') break;
        if (code !== 0 && terminal === null) {
          failed = code;
          break;
        }
        this.#draw(lines);
      }
      if (failed === 0) failed = await this.#answer();
      signal.throwIfAborted();
    } finally {
      lines.close();
      if (history.length > 0) await writeFileAtomic(historyFile, `${history.join('\n')}\n`, 0o600);
    }
    return terminal === null ? failed : 0;
  }

  #draw(lines: { setPrompt(text: string): void; prompt(): void }): void {
    if (this.#options.terminal === null || this.#isClosed) return;
    lines.setPrompt(this.#statement === '' ? 'crawlhouse> ' : '       ...> ');
    lines.prompt();
  }

  async #take(line: string): Promise<number | 'quit'> {
    const dot = this.#statement.trim() === '' ? dotCommand(line) : null;
    if (dot) return await this.#guarded(() => this.#obey(dot.name, dot.argument));
    this.#statement += `${line}\n`;
    return line.trimEnd().endsWith(';') ? await this.#answer() : 0;
  }

  async #answer(): Promise<number> {
    const sql = this.#statement.trim();
    this.#statement = '';
    if (sql === '' || sql === ';') return 0;
    const code = await this.#guarded(() => this.#ask(sql));
    return code === 'quit' ? 0 : code;
  }

  async #ask(sql: string, parameters?: ParameterTexts, needs: Needs = {}): Promise<undefined> {
    this.#interruption = new AbortController();
    this.#running = true;
    const { signal, warehouse, screen, width, write, say } = this.#options;
    const either = AbortSignal.any([signal, this.#interruption.signal]);
    const options = { format: this.#format, nullText: 'NULL', ...(width === null ? {} : { width: width() }) };
    try {
      const rows = await throughPager({ screen, write, signal: either }, (to, until) =>
        warehouse.write(sql, options, to, until, parameters),
      );
      if (rows === null) return;
      const why =
        rows > 0 || !parameters ? null : await explainEmpty({ needs, parameters }, warehouse, either);
      say(`${rows} ${rows === 1 ? 'row' : 'rows'}${why === null ? '' : `. ${why}`}\n`);
    } finally {
      this.#running = false;
    }
  }

  /** Prints an error, and continues. */
  async #guarded(work: () => Promise<'quit' | undefined>): Promise<number | 'quit'> {
    try {
      return (await work()) ?? 0;
    } catch (thrown) {
      this.#options.signal.throwIfAborted();
      const error = toCrawlhouseError(thrown);
      this.#options.sayError(error, thrown);
      return error.exitCode;
    }
  }

  async #obey(name: string, argument: string): Promise<'quit' | undefined> {
    const { write, questions } = this.#options;
    if (name === '.quit') return 'quit';
    if (name === '.help') {
      await write(textTable(['', ''], Object.entries(DOT_COMMANDS)).split('\n').slice(1).join('\n'));
    } else if (name === '.tables') await write(this.#tables(argument));
    else if (name === '.describe') await write(this.#describe(argument));
    else if (name === '.questions') {
      await write(
        textTable(
          ['name', 'title', 'parameters'],
          questions.map((question) => [
            question.name,
            question.title,
            question.parameters.map(({ name }) => name).join(' '),
          ]),
        ),
      );
    } else if (name === '.question') {
      const { name: question, values } = questionWords(argument);
      const { warehouse, signal } = this.#options;
      const { sql, parameters, needs } = bindQuestion(questionNamed(questions, question), values);
      const resolved = await resolveParameters({ parameters, isQuestion: true }, warehouse, signal);
      await this.#ask(sql, resolved, needs);
    } else if (name === '.format') {
      const format = TEXT_FORMATS.find((one) => one === argument);
      if (!format) {
        throw new CrawlhouseError('usage', `.format: ${argument} is not a valid format here`, {
          hint: `formats: ${TEXT_FORMATS.join(', ')}`,
        });
      }
      this.#format = format;
    } else if (name === '\\x') {
      [this.#format, this.#former] =
        this.#format === 'record' ? [this.#former, 'record'] : ['record', this.#format];
      this.#options.say(
        `The format of results is ${this.#format === 'record' ? 'one line per column' : this.#format}.\n`,
      );
    } else throw new CrawlhouseError('usage', `there is no command ${name}`, { hint: '.help' });
    return undefined;
  }

  #tables(word: string): string {
    const shown = this.#catalog.filter((table) => table.name.includes(word.toLowerCase()));
    return textTable(
      ['table', 'columns', 'description'],
      shown.map((table) => [table.name, table.columns.length, firstSentence(table.comment)]),
    );
  }

  #describe(name: string): string {
    const wanted = name.replace(/;$/, '').toLowerCase();
    const found = this.#catalog.find(
      (table) => table.name.toLowerCase() === wanted || table.name.toLowerCase().split('.')[1] === wanted,
    );
    if (!found)
      throw new CrawlhouseError('usage', `there is no table ${name}`, { hint: '.tables lists them' });
    return textTable(
      ['column', 'type', 'description'],
      found.columns.map((column) => [column.name, column.type, column.comment ?? '']),
    );
  }
}

function firstSentence(comment: string | null): string {
  return (comment ?? '').replaceAll(/\s+/g, ' ').split(/(?<=\.) /)[0] ?? '';
}

function readHistory(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).slice(0, HISTORY_LINES);
}
