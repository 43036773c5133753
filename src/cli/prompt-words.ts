import { visibleLine } from '../core/visible.ts';
import type { Catalog } from '../warehouse/catalog.ts';

/** What the prompt understands beside SQL, with what it does. */
export const DOT_COMMANDS = {
  '.tables': 'tables and views, those with WORD in their name: .tables [WORD]',
  '.describe': 'columns of a table: .describe mart.pages',
  '.questions': 'the saved questions',
  '.question': 'the SQL of a saved question, run: .question NAME',
  '.format': 'how rows are shown: .format table|csv|json|jsonl|markdown',
  '.help': 'this list',
  '.quit': 'the end (or Ctrl-D)',
} as const;

/** A line of the prompt that is no SQL; null: it is SQL. */
export function dotCommand(line: string): { readonly name: string; readonly argument: string } | null {
  const match = /^\s*(\.[a-z]*)\s*(.*?)\s*;?\s*$/.exec(line);
  return match ? { name: match[1] ?? '', argument: match[2] ?? '' } : null;
}

/**
 * What the word before the cursor may become: dot commands at the start, tables by their schema, and columns, those of
 * the tables that the statement names first.
 *
 * @returns the candidates and the word they stand for, as readline wants them
 */
export function completions(
  line: string,
  statement: string,
  catalog: Catalog,
  questions: readonly string[],
): [string[], string] {
  const word = /[\w.]*$/.exec(line)?.[0] ?? '';
  const before = line.slice(0, line.length - word.length).trim();
  if (before === '' && word.startsWith('.')) return [starting(Object.keys(DOT_COMMANDS), word), word];
  if (before === '.question') return [starting(questions, word), word];
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
    // Behind an alias: `pages.ur` becomes `pages.url`.
    const alias = word.slice(0, dot + 1);
    return [starting(columns, word.slice(dot + 1)).map((name) => alias + name), word];
  }
  return [[...found, ...starting(columns, word)], word];
}

function starting(names: readonly string[], word: string): string[] {
  const low = word.toLowerCase();
  // Readline would draw a control character as it is.
  return [...new Set(names)]
    .filter((name) => name.toLowerCase().startsWith(low) && name === visibleLine(name))
    .sort();
}
