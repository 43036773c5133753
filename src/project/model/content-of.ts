import { keptRecord } from '../../service/api/kept-record.ts';
import { includedKeys } from './included-keys.ts';
import type { Pipeline } from './pipeline.ts';

/** The part of a list's record that goes to `raw`: the keys that the pipeline includes, without secrets. */
export function contentOf(
  record: Readonly<Record<string, unknown>>,
  { fields, source, columns }: Pipeline,
): Readonly<Record<string, unknown>> {
  const included = includedKeys(record, fields);
  // The catalogue of a crawl's fields describes columns; no configuration stands in it.
  if (source.kind !== 'resource') return included;
  return keptRecord(source.data_type, included, Object.keys(columns));
}
