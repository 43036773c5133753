/** A way that the bench brings data by: what is asked for, and the file that answers it. */
export interface Way {
  readonly route: 'stream' | 'export';
  /** Of the file; of a unit by `auto`, the one that its fields allow. */
  readonly format: 'csv' | 'json' | 'parquet';
  /** What the pipeline asks for, if it is not the format. */
  readonly asked?: 'auto';
  readonly gzip: boolean;
  /** Of the file with the bytes, behind the data's name. */
  readonly extension: string;
}

export const WAYS: Readonly<Record<string, Way>> = {
  json: { route: 'stream', format: 'json', gzip: false, extension: 'jsonl' },
  csv: { route: 'stream', format: 'csv', gzip: false, extension: 'csv' },
  // Only for data whose fields CSV carries.
  auto: { route: 'stream', format: 'csv', asked: 'auto', gzip: false, extension: 'csv' },
  'json.gz': { route: 'stream', format: 'json', gzip: true, extension: 'jsonl.gz' },
  'auto.gz': { route: 'stream', format: 'csv', asked: 'auto', gzip: true, extension: 'csv.gz' },
  'export-csv.gz': { route: 'export', format: 'csv', gzip: true, extension: 'csv.gz' },
  'export-json.gz': { route: 'export', format: 'json', gzip: true, extension: 'jsonl.gz' },
  'export-parquet': { route: 'export', format: 'parquet', gzip: false, extension: 'parquet' },
};

export function wayOf(name: string): Way {
  const way = WAYS[name];
  if (way === undefined) throw new Error(`${name} is none of ${Object.keys(WAYS).join(', ')}`);
  return way;
}
