import { keptRecord } from '../../../client/resources/kept-record.ts';
import type { Pipeline } from './pipeline.ts';

/** Returns a record of a list with the keys that the pipeline includes, even if it does not declare them. */
export function includedKeys<T extends Readonly<Record<string, unknown>>>(
  record: T,
  fields: Pipeline['fields'],
): T {
  const isIncluded = fieldsMatcher(fields);
  return Object.fromEntries(Object.entries(record).filter(([key]) => isIncluded(key))) as T;
}

/** Returns a test of whether a pipeline requests a field. */
export function fieldsMatcher({ include, exclude }: Pipeline['fields']): (name: string) => boolean {
  const [isIncluded, isExcluded] = [namesMatcher(include), namesMatcher(exclude)];
  return (name) => isIncluded(name) && !isExcluded(name);
}

/** Returns a test of names against patterns; `*` stands for any characters. */
export function namesMatcher(patterns: readonly string[]): (name: string) => boolean {
  const all = patterns.map((pattern) => pattern.split('*'));
  return (name) => all.some((parts) => isMatch(name, parts));
}

/**
 * Returns whether a name contains the parts in order, the first at its start and the last at its end. No part is tried
 * twice.
 */
function isMatch(name: string, [first = '', ...parts]: readonly string[]): boolean {
  const last = parts.pop();
  if (last === undefined) return name === first;
  const end = name.length - last.length;
  if (first.length > end || !name.startsWith(first) || !name.endsWith(last)) return false;
  let from = first.length;
  for (const part of parts) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= end;
}

/** Returns the part of a list's record that goes to `raw`: the keys that the pipeline includes, without secrets. */
export function contentOf(
  record: Readonly<Record<string, unknown>>,
  { fields, source, columns }: Pipeline,
): Readonly<Record<string, unknown>> {
  const included = includedKeys(record, fields);
  // The catalog of a crawl's fields describes columns; it contains no configuration.
  if (source.kind !== 'resource') return included;
  return keptRecord(source.data_type, included, Object.keys(columns));
}
