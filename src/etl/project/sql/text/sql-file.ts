import { withoutEnd } from '../../../../core/duckdb/sql-tokens.ts';
import { type ParsedYaml, parseYaml, YamlFault } from '../../../../core/text/parse-yaml.ts';
import { badModel } from './bad-model.ts';

/** A file under `sql/`: a YAML header in the leading block comment, then SQL. Lines are those of the file. */
export interface SqlFile {
  /** In errors: `sql/<folder>/<name>.sql`. */
  readonly file: string;
  readonly header: unknown;
  readonly sql: string;
  readonly sqlLine: number;
  /** Returns the line of the key at `path` in the header, or of its nearest existing parent. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Caches the last read of each file, because a schedule or a console reads all files repeatedly. */
const lastRead = new Map<string, { readonly text: string; readonly read: SqlFile }>();

export function splitSqlFile(file: string, text: string): SqlFile {
  const last = lastRead.get(file);
  if (last?.text === text) return last.read;
  const read = readSqlFile(file, text);
  lastRead.set(file, { text, read });
  return read;
}

/** Returns the leading comment of a file and its YAML; null for a file without one. */
export function headerComment(text: string): { readonly comment: string; readonly yaml: string } | null {
  const match = /^\uFEFF?(\s*)\/\*([\s\S]*?)\*\//.exec(text);
  if (!match) return null;
  const [comment, before = '', yaml = ''] = match;
  // As many leading newlines as in the file, so that document lines equal file lines.
  return { comment, yaml: '\n'.repeat(newlines(before)) + yaml };
}

function readSqlFile(file: string, text: string): SqlFile {
  const header = headerComment(text);
  if (!header) {
    throw badModel(
      { file, line: 1 },
      'has no header',
      'start the file with a block comment that contains YAML: /* name: … */',
    );
  }
  const { comment, yaml } = header;
  const { value, lineOf } = headerOf(yaml, file);
  return {
    file,
    header: value ?? {},
    // Statements enclose it.
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
