/** One change of some SQL: what stands between two places, and what a mutant has instead. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

export function applyChange(sql: string, { start, end, instead }: Change): string {
  return sql.slice(0, start) + instead + sql.slice(end);
}
