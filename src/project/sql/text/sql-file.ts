import { withoutEnd } from '../../../core/duckdb/sql-tokens.ts';
import { type ParsedYaml, parseYaml, YamlFault } from '../../../core/text/parse-yaml.ts';
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

export function splitSqlFile(file: string, text: string): SqlFile {
  const last = lastRead.get(file);
  if (last?.text === text) return last.read;
  const read = readSqlFile(file, text);
  lastRead.set(file, { text, read });
  return read;
}

/** The comment in front of a file, and the YAML in it; null for a file without one. */
export function headerComment(text: string): { readonly comment: string; readonly yaml: string } | null {
  const match = /^\uFEFF?(\s*)\/\*([\s\S]*?)\*\//.exec(text);
  if (!match) return null;
  const [comment, before = '', yaml = ''] = match;
  // As many newlines in front as the file has: a line of the document is then a line of the file.
  return { comment, yaml: '\n'.repeat(newlines(before)) + yaml };
}

function readSqlFile(file: string, text: string): SqlFile {
  const header = headerComment(text);
  if (!header) {
    throw badModel(
      { file, line: 1 },
      'has no header',
      'start the file with a block comment that holds YAML: /* name: … */',
    );
  }
  const { comment, yaml } = header;
  const { value, lineOf } = headerOf(yaml, file);
  return {
    file,
    header: value ?? {},
    // Statements are written around it.
    sql: withoutEnd(text.slice(comment.length)),
    sqlLine: 1 + newlines(comment),
    lineOf,
  };
}

function headerOf(yaml: string, file: string): ParsedYaml {
  try {
    return parseYaml(yaml);
  } catch (cause) {
    if (!(cause instanceof YamlFault)) throw cause;
    throw badModel({ file, line: cause.line }, `the header is not YAML: ${cause.message}`, cause.hint);
  }
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}
