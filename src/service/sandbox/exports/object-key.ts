import type { ExportFormat } from '../../api/data-exports.ts';

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = { csv: 'csv', json: 'jsonl', parquet: 'parquet' };

interface ExportObjects {
  readonly prefix: string;
  readonly exportId: string;
  readonly format: ExportFormat;
  readonly gzip: boolean;
}

/** The key of an export's object, counted from 1: `<prefix>/<data_export_id>-00001.csv.gz`. */
export function objectKey({ prefix, exportId, format, gzip }: ExportObjects, number: number): string {
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const name = `${exportId}-${String(number).padStart(5, '0')}.${EXTENSIONS[format]}`;
  return `${folder}${name}${gzip ? '.gz' : ''}`;
}
