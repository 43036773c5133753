/** Text formats; DuckDB itself writes Parquet. */
export const TEXT_FORMATS = ['table', 'record', 'csv', 'json', 'jsonl', 'markdown'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];
