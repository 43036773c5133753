import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { CREATE_DATA_EXPORT } from '../../../client/resources/data-exports.ts';
import {
  CREATE_SECRET,
  DELETE_SECRET,
  LIST_SECRETS,
  SECRET_LIST_FIELDS,
  type SecretInput,
} from '../../../client/resources/secrets.ts';
import { serveList } from '../../http/list-page.ts';
import { requireWriter } from '../../http/refusal-of.ts';
import { serve } from '../../http/serve.ts';
import { exportRecord } from '../../resources/export-record.ts';
import { find } from '../../resources/find.ts';
import { duplicateEntry, invalidParameter } from '../../resources/refusal.ts';
import { publicView } from '../../resources/resources.ts';
import { USER_ID } from '../../resources/seed.ts';
import { exportJob } from '../exports/export-job.ts';
import { secretContent, storeBCredentials } from '../exports/find-secret.ts';
import type { SandboxContext } from './sandbox-context.ts';

/** Data exports to a store, and their secrets (api-spec.md §2.11, §4.9): a value is stored and never returned. */
export function storeRoutes(
  api: FastifyInstance,
  { resources, rows, clock, dataExports }: SandboxContext,
): void {
  serve(api, CREATE_DATA_EXPORT, ({ parameters, body }) => {
    const workspace = find(resources, 'workspaces', parameters.workspace_id);
    requireWriter(workspace);
    const job = exportJob(resources, workspace, body.data_export);
    const record = exportRecord(job.id, job.request, clock.now());
    resources.put('data_exports', workspace.id, record);
    dataExports.start(job);
    return { data_export: publicView(record) };
  });
  serveList(api, LIST_SECRETS, { rows, names: SECRET_LIST_FIELDS }, ({ workspace_id }) =>
    resources.list('secrets', find(resources, 'workspaces', workspace_id).id),
  );
  serve(api, CREATE_SECRET, ({ parameters, body: { secret } }) => {
    const workspace = find(resources, 'workspaces', parameters.workspace_id);
    requireWriter(workspace);
    checkValue(secret);
    if (resources.list('secrets', workspace.id).some(({ name }) => name === secret.name))
      throw duplicateEntry('name', `there is a secret ${secret.name} already`);
    const doc = {
      id: randomBytes(12).toString('hex'),
      name: secret.name,
      type: secret.type,
      creation_date: clock.now(),
      owner_id: USER_ID,
      _value: secret.value,
    };
    resources.put('secrets', workspace.id, doc);
    return { secret: publicView(doc) };
  });
  serve(api, DELETE_SECRET, ({ parameters }) => {
    const workspace = find(resources, 'workspaces', parameters.workspace_id);
    requireWriter(workspace);
    const { id } = find(resources, 'secrets', parameters.secret_id, workspace.id);
    resources.delete('secrets', id);
  });
}

function checkValue({ type, value }: SecretInput): void {
  if (secretContent(value) === undefined)
    throw invalidParameter('value', 'format', 'is not a JSON text encoded in base64');
  if (type === 'store_b_credentials' && storeBCredentials(value) === undefined)
    throw invalidParameter('value', 'format', 'contains no JSON object {"access_key", "secret_key"}');
}
