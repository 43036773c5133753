import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { CSV_DELIMITERS } from '../../api/resources/data-exports.ts';
import type { RankingExportInput } from '../../api/resources/ranking-performance.ts';
import { exportRecord } from '../resources/export-record.ts';
import { Refusal } from '../resources/refusal.ts';
import type { Document } from '../resources/resources.ts';
import { DATE_FIELD, filtersOn, type RankingTable } from './ranking-table.ts';

const DAY = 86_400_000;
/** How long a file of the download center is kept. */
const KEPT = 7 * DAY;

/** An export to the download center that was checked and recorded, with its inputs. */
export interface DownloadJob {
  readonly id: string;
  readonly projectId: string;
  readonly table: RankingTable;
  readonly format: 'csv' | 'json';
  readonly delimiter: (typeof CSV_DELIMITERS)[number];
  readonly limit: number | undefined;
  readonly offset: number;
  /** Unguessable: everyone who knows it may fetch the file. */
  readonly token: string;
  readonly url: string;
}

/**
 * A requested export of ranking performance (api-spec.md §4.2): its record, and the work to do.
 *
 * @throws Refusal `invalid_request`
 */
export function rankingExport(
  project: Document,
  table: RankingTable,
  {
    request,
    output_format: format,
    output_format_parameters: parameters,
  }: z.output<typeof RankingExportInput>,
  { now, address }: { readonly now: number; readonly address: string },
): { readonly record: Document; readonly job: DownloadJob } {
  if (!filtersOn(table.oql, DATE_FIELD))
    throw new Refusal('invalid_request', 'request.oql: an export needs a filter on date');
  if (format !== 'csv' && parameters?.csv_delimiter !== undefined)
    throw new Refusal('invalid_request', `csv_delimiter does not go with ${format}`);
  const id = randomBytes(12).toString('hex');
  const token = randomBytes(24).toString('base64url');
  const delimiter = parameters?.csv_delimiter ?? ';';
  const file = `ranking_performance-${id}.${format === 'csv' ? 'csv' : 'jsonl'}`;
  const exported = {
    data_type: 'keyword',
    resource_id: project.id,
    output_format: format,
    output_format_parameters: parameters,
    target: 'download_center',
    target_parameters: {},
  };
  const record = {
    ...exportRecord(id, exported, now),
    expiration_date: now + KEPT,
    _download: { token, file },
  };
  const { limit, offset = 0 } = request;
  const url = `${address}/downloads/${token}/${file}`;
  return { record, job: { id, projectId: project.id, table, format, delimiter, limit, offset, token, url } };
}
