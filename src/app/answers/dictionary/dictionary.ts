import type { Question } from '../../../etl/project/sql/questions/questions.ts';

export interface DictionaryColumn {
  readonly name: string;
  /** DuckDB's type; null if there is no warehouse. */
  readonly type: string | null;
  readonly description: string | null;
  /** Columns of `raw` and `ops` that it is computed from: `raw.crawl_pages.url`. */
  readonly sources: readonly string[];
}

/** A data test with its last result; null before its first run. */
interface DictionaryTest {
  readonly name: string;
  readonly severity: string;
  readonly status: string | null;
  readonly failures: number | null;
  /** ISO 8601, UTC. */
  readonly testedAt: string | null;
}

export interface DictionaryTable {
  /** With its schema: `mart.pages`. */
  readonly name: string;
  readonly kind: 'source' | 'view' | 'table' | 'operations';
  readonly description: string | null;
  /** The columns that make a row unique; null if there are none or they are undocumented. */
  readonly grain: readonly string[] | null;
  readonly columns: readonly DictionaryColumn[];
  readonly reads: readonly string[];
  readonly tests: readonly DictionaryTest[];
  readonly sql: string | null;
  /** Path within the project folder: `sql/crawl_pages/pages.sql`. */
  readonly file: string | null;
  /** Null for a view, and without a warehouse. */
  readonly rows: number | null;
}

export interface DictionaryQuestion
  extends Pick<Question, 'name' | 'title' | 'description' | 'parameters' | 'sql'> {
  readonly reads: readonly string[];
}

export interface Dictionary {
  /** When the warehouse was published, ISO 8601 in UTC; null if there is none. */
  readonly publishedAt: string | null;
  /** Ordered by name. */
  readonly tables: readonly DictionaryTable[];
  readonly questions: readonly DictionaryQuestion[];
}

export function firstSentence(description: string | null): string {
  return (description ?? '').replaceAll(/\s+/g, ' ').split(/(?<=[.:;]) /)[0] ?? '';
}
