/** Portable SQL (docs/models.md, "Portable SQL") in the words of an engine. */
export interface Dialect {
  /** Without comments and `;`. Lines stay where they are, so that errors of the engine name them. */
  translate(sql: string): string;
  /** What readers ask for a relation of the catalogue: `raw.crawl_pages`. */
  reader(relation: string): string;
  /** A condition: whether one of these columns has a text in it, in any case of its letters. */
  contains(columns: readonly DialectColumn[], text: string): string;
  /** What cuts rows out of an ordered answer. */
  slice(offset: number, limit: number): string;
}

interface DialectColumn {
  /** SQL of it. */
  readonly name: string;
  /** DuckDB's. */
  readonly type: string;
}
