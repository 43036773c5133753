import type { DataExportRequest } from '../../api/data-exports.ts';
import type { Column } from '../catalogue/column.ts';
import { notFound, Refusal } from '../resources/refusal.ts';

const SEGMENTATION = 'page_group_';

/**
 * The columns of a data export: those of the streamed export, but only the requested segmentations (`page_group_…`), by
 * the name of the field or the segmentation. The request for all segmentations overrides the list (api-spec.md §4.9).
 *
 * @throws Refusal for a segmentation that is not there, and for names that Parquet can't tell apart
 */
export function exportColumns(columns: readonly Column[], request: DataExportRequest): readonly Column[] {
  const isAll = request.include_all_page_group_lists === true;
  const included = new Set(isAll ? [] : (request.page_group_lists_included ?? []).map(fieldOf));
  const names = new Set(columns.map((column) => column.field.name));
  for (const name of included) if (!names.has(name)) throw notFound(`the segmentation ${name}`);
  const chosen = columns.filter(({ field }) => {
    if (field.can_display === false) return false;
    const segmentation = field.name.startsWith(SEGMENTATION);
    return !segmentation || isAll || included.has(field.name);
  });
  if (request.output_format === 'parquet') refuseAlike(chosen);
  return chosen;
}

function fieldOf(name: string): string {
  return name.startsWith(SEGMENTATION) ? name : `${SEGMENTATION}${name}`;
}

function refuseAlike(columns: readonly Column[]): void {
  const seen = new Map<string, string>();
  for (const { field } of columns) {
    const other = seen.get(field.name.toLowerCase());
    if (other !== undefined) {
      const message = `parquet can't hold the fields ${other} and ${field.name}, which differ by case only: use csv or json`;
      throw new Refusal('invalid_request', message);
    }
    seen.set(field.name.toLowerCase(), field.name);
  }
}
