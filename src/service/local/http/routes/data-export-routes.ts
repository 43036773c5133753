import { createReadStream } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import {
  DATA_EXPORT_LIST_FIELDS,
  GET_DATA_EXPORT,
  LIST_DATA_EXPORTS,
} from '../../../api/resources/data-exports.ts';
import { find } from '../../resources/find.ts';
import { publicView } from '../../resources/public-view.ts';
import { notFound } from '../../resources/refusal.ts';
import type { Context } from '../context.ts';
import { listPage } from '../list-page.ts';
import { serve } from '../serve.ts';

type ByToken = { Params: { token: string; file: string } };

/** Names to sort and filter by that records don't have, and what they mean (spec-notes.md 4). */
const ALIASES = {
  created_at: 'requested_at',
  size_bytes: 'output_size_in_bytes',
  row_count: 'output_row_count',
} as const;

/** Data exports of a workspace, those of ranking performance among them (api-spec.md §2.12, §4.9). */
export function dataExportRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows } = context;
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
}

/**
 * Files of the download center: everyone with the address may fetch them until they expire (docs/sandbox.md).
 */
export function downloadRoutes(app: FastifyInstance, { downloads }: Context): void {
  app.get<ByToken>('/:token/:file', async ({ params }, reply) => {
    const found = await downloads.find(params.token);
    if (found === undefined || found.name !== params.file) throw notFound('the download');
    return reply
      .header('content-disposition', `attachment; filename="${found.name}"`)
      .header('content-length', found.size)
      .type(found.name.endsWith('.csv') ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
      .send(createReadStream(found.path));
  });
}
