import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { Question } from '../../../etl/project/sql/questions/questions.ts';
import type { Catalog } from '../../../etl/state/catalog/catalog.ts';

export const DOT_COMMANDS = {
  '.tables': 'tables and views, or those with WORD in their name: .tables [WORD]',
  '.describe': 'columns of a table: .describe mart.pages',
  '.questions': 'the saved questions',
  '.question': 'run a saved question: .question NAME [PARAMETER=VALUE]…',
  '.format': 'the format of the results: .format table|record|csv|json|jsonl|markdown',
  '\\x': 'one line per column instead of a table, on and off (.format record)',
  '.help': 'this list',
  '.quit': 'leave the prompt (also: exit, quit, Ctrl-D)',
} as const;

/** Returns a dot command of the prompt; null: the line is SQL. */
export function dotCommand(line: string): { readonly name: string; readonly argument: string } | null {
  if (/^\s*(exit|quit|\\q)\s*;?\s*$/i.test(line)) return { name: '.quit', argument: '' };
  const match = /^\s*(\.[a-z]*|\\[a-z]+)\s*(.*?)\s*;?\s*$/.exec(line);
  return match ? { name: match[1] ?? '', argument: match[2] ?? '' } : null;
}

/**
 * Parses the name of a question and its values. Values with spaces must be quoted.
 *
 * @throws CrawlhouseError `usage`
 */
export function questionWords(argument: string): {
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
} {
  const [name = ''] = argument.split(/\s/, 1);
  const values = new Map<string, string>();
  let rest = argument.slice(name.length).trimStart();
  while (rest !== '') {
    const [all, key, quoted, plain = ''] = /^(\w+)=(?:'((?:[^']|'')*)'|(\S*))(?:\s+|$)/.exec(rest) ?? [];
    if (all === undefined || key === undefined) {
      throw new CrawlhouseError('usage', `.question: ${rest} is not NAME=VALUE`, {
        hint: ".question NAME project='my site' from=2026-01-31",
      });
    }
    values.set(key, quoted === undefined ? plain : quoted.replaceAll("''", "'"));
    rest = rest.slice(all.length);
  }
  return { name, values };
}

/**
 * Returns the completions of the word before the cursor: dot commands at the start, tables by their schema, and
 * columns. Columns of the statement's tables come first.
 *
 * @returns the candidates and the word they complete, as readline expects them
 */
export function completions(
  line: string,
  statement: string,
  catalog: Catalog,
  questions: readonly Pick<Question, 'name' | 'parameters'>[],
): [string[], string] {
  const word = /[\w.]*$/.exec(line)?.[0] ?? '';
  const before = line.slice(0, line.length - word.length).trim();
  if (before === '' && word.startsWith('.')) return [starting(Object.keys(DOT_COMMANDS), word), word];
  if (before === '.question')
    return [
      starting(
        questions.map(({ name }) => name),
        word,
      ),
      word,
    ];
  const asked = /^\.question\s+(\w+)/.exec(before)?.[1];
  if (asked !== undefined) {
    const parameters = questions.find(({ name }) => name === asked)?.parameters ?? [];
    const names = parameters.map(({ name }) => `${name}=`);
    return [starting(names, word), word];
  }
  const tables = catalog.map((table) => table.name);
  if (before === '.describe') return [starting(tables, word), word];
  const text = `${statement} ${line}`.toLowerCase();
  const named = catalog.filter((table) => text.includes(table.name.toLowerCase()));
  const columns = (named.length > 0 ? named : catalog).flatMap((table) =>
    table.columns.map(({ name }) => name),
  );
  const dot = word.lastIndexOf('.');
  const found = starting(tables, word);
  if (dot >= 0 && found.length === 0) {
    // After an alias: `pages.ur` becomes `pages.url`.
    const alias = word.slice(0, dot + 1);
    return [starting(columns, word.slice(dot + 1)).map((name) => alias + name), word];
  }
  return [[...found, ...starting(columns, word)], word];
}

function starting(names: readonly string[], word: string): string[] {
  const low = word.toLowerCase();
  // Readline would print a control character unchanged.
  return [...new Set(names)]
    .filter((name) => name.toLowerCase().startsWith(low) && name === visibleLine(name))
    .sort();
}
