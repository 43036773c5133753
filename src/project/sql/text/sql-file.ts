import { type Document, isMap, LineCounter, type Node, parseDocument } from 'yaml';
import { deepBrackets } from '../../../core/deep-brackets.ts';
import { withoutEnd } from '../../../core/sql-tokens.ts';
import { badModel } from './bad-model.ts';

/** A file under `sql/`: a header of YAML in the leading block comment, then SQL. Lines are those of the file. */
export interface SqlFile {
  /** As errors show it: `sql/<folder>/<name>.sql`. */
  readonly file: string;
  readonly header: unknown;
  readonly sql: string;
  readonly sqlLine: number;
  /** The line of the key at `path` in the header, or of the nearest parent that is there. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** As each file was read last: a schedule or a console reads all of them again and again. */
const lastRead = new Map<string, { readonly text: string; readonly read: SqlFile }>();

/** Splits a file into its header and its SQL. */
export function splitSqlFile(file: string, text: string): SqlFile {
  const last = lastRead.get(file);
  if (last?.text === text) return last.read;
  const read = readSqlFile(file, text);
  lastRead.set(file, { text, read });
  return read;
}

function readSqlFile(file: string, text: string): SqlFile {
  const match = /^\uFEFF?(\s*)\/\*([\s\S]*?)\*\//.exec(text);
  if (!match) {
    throw badModel(
      { file, line: 1 },
      'has no header',
      'start the file with a block comment that holds YAML: /* name: … */',
    );
  }
  const [comment, before = '', yaml = ''] = match;
  const deep = deepBrackets(yaml);
  if (deep !== -1)
    throw badModel(
      { file, line: 1 + newlines(before + yaml.slice(0, deep)) },
      'the header has more than a thousand open brackets',
    );
  const counter = new LineCounter();
  // As many newlines in front as the file has: a line of the document is then a line of the file.
  const document = parseDocument('\n'.repeat(newlines(before)) + yaml, {
    lineCounter: counter,
    logLevel: 'error',
  });
  const line = (offset: number): number => counter.linePos(offset).line;
  const problem = document.errors[0];
  if (problem) {
    const message = problem.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '');
    throw badModel({ file, line: line(problem.pos[0]) }, `the header is not YAML: ${message}`);
  }
  return {
    file,
    header: headerOf(document, { file, line: line(document.contents?.range?.[0] ?? 0) }) ?? {},
    // Statements are written around it.
    sql: withoutEnd(text.slice(comment.length)),
    sqlLine: 1 + newlines(comment),
    lineOf: (path) => line(offsetOf(document.contents, path)),
  };
}

function headerOf(document: Document, place: { readonly file: string; readonly line: number }): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const hint = 'write the values out in place of aliases';
    throw badModel(place, `the aliases of the header can't be resolved: ${(cause as Error).message}`, hint);
  }
}

function offsetOf(root: Node | null, path: readonly PropertyKey[]): number {
  let node: Node | null | undefined = root;
  let offset = root?.range?.[0] ?? 0;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => String((item.key as { value?: unknown }).value) === String(key));
      if (!pair) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else {
      node = (node as { get?(key: unknown, keep: true): Node | undefined } | null)?.get?.(key, true);
      offset = node?.range?.[0] ?? offset;
    }
  }
  return offset;
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}
