import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { Segmentation } from '../../settings/segments.ts';
import { segmentParts, segmentRows } from '../segments/segment-rows.ts';
import { checkCondition, type OutputColumns } from './check-output.ts';

/**
 * Checks the conditions of segments.yaml against the columns of `mart.pages`, where there are models already.
 *
 * @throws CrawlhouseError `bad_segments` naming file, line, key and what would work
 */
export async function checkSegments(
  connection: Connection,
  segmentations: readonly Segmentation[],
  columns: OutputColumns,
): Promise<void> {
  segmentRows(segmentations, columns);
  for (const { sql, place, isCondition } of segmentParts(segmentations, columns))
    await checkCondition(connection, { sql, start: place }, isCondition);
}
