import type { FastifyInstance } from 'fastify';
import {
  CREATE_DATA_EXPORT,
  DATA_EXPORT_LIST_FIELDS,
  GET_DATA_EXPORT,
  LIST_DATA_EXPORTS,
} from '../../api/data-exports.ts';
import { exportJob, exportRecord } from '../exports/export-job.ts';
import { find } from '../resources/find.ts';
import { publicView } from '../resources/public-view.ts';
import type { Context } from './context.ts';
import { listPage } from './list-page.ts';
import { requireWriter } from './require-writer.ts';
import { serve } from './serve.ts';

/** Names to sort and filter by that records don't have, and what they mean (spec-notes.md 4). */
const ALIASES = {
  created_at: 'requested_at',
  size_bytes: 'output_size_in_bytes',
  row_count: 'output_row_count',
} as const;

/** Data exports of a workspace, those of ranking performance among them (api-spec.md §2.12, §4.9). */
export function dataExportRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows, clock, dataExports } = context;
  serve(api, LIST_DATA_EXPORTS, ({ parameters, query }) => {
    const workspace = find(resources, 'workspaces', parameters.workspace_id);
    const exports = resources.list('data_exports', workspace.id);
    return listPage(
      rows,
      { key: 'account', documents: exports, names: DATA_EXPORT_LIST_FIELDS, aliases: ALIASES },
      query,
    );
  });
  serve(api, GET_DATA_EXPORT, ({ parameters }) => {
    const workspace = find(resources, 'workspaces', parameters.workspace_id);
    return {
      data_export: publicView(find(resources, 'data_exports', parameters.data_export_id, workspace.id)),
    };
  });
  serve(api, CREATE_DATA_EXPORT, ({ parameters, body }) => {
    const workspace = find(resources, 'workspaces', parameters.workspace_id);
    requireWriter(workspace);
    const job = exportJob(resources, workspace, body.data_export);
    const record = exportRecord(job.id, job.request, clock.now());
    resources.put('data_exports', workspace.id, record);
    dataExports.start(job);
    return { data_export: publicView(record) };
  });
}
