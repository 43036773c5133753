import { sqlTokens } from '../../../../core/duckdb/sql-tokens.ts';

/** Replaces each `$name` in SQL. */
export function replaceThresholds(sql: string, write: (name: string) => string): string {
  const tokens = sqlTokens(sql);
  const isName = (at: number): boolean =>
    tokens[at]?.kind === 'word' && tokens[at - 1]?.kind === 'sign' && tokens[at - 1]?.text === '$';
  return tokens.map(({ text }, at) => (isName(at) ? write(text) : isName(at + 1) ? '' : text)).join('');
}

export function thresholdsOf(sql: string): string[] {
  const names = new Set<string>();
  replaceThresholds(sql, (name) => names.add(name) && '');
  return [...names];
}
