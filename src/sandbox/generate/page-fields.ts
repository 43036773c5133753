import type { FieldRecord } from '../../api/fields.ts';
import { MORE_PAGE_FIELDS, syntheticField } from '../catalogue/more-page-fields.ts';
import { PAGE_CATALOGUE } from '../catalogue/page-catalogue.ts';
import { readFields } from '../import/read-fields.ts';
import type { GenerateSpec } from './parse-spec.ts';

/** The page fields to generate: of the file given, else the specification's, then more, as many as `columns` says. */
export async function pageFields({ fields, columns }: GenerateSpec): Promise<readonly FieldRecord[]> {
  const catalogue = fields === undefined ? PAGE_CATALOGUE : await readFields(fields);
  if (columns === undefined) return catalogue;
  const known = new Set(catalogue.map((field) => field.name));
  const all = [...catalogue, ...MORE_PAGE_FIELDS.filter((field) => !known.has(field.name))];
  const missing = Math.max(0, columns - all.length);
  return [...all, ...Array.from({ length: missing }, (_, n) => syntheticField(n))].slice(0, columns);
}
