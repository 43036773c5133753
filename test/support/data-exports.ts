import type { DataExport } from '../../src/client/resources/data-exports.ts';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { type Json, Service } from '../service/support.ts';
import { until } from './until.ts';

/** The data exports of a sandbox, as a test looks at them and brings them about. */
export class DataExportDesk {
  readonly service: Service;

  constructor(sandbox: Sandbox) {
    this.service = new Service(sandbox);
  }

  async #path(): Promise<string> {
    return `/workspaces/${await this.service.workspace()}/data_exports`;
  }

  /** The newest first. */
  async all(): Promise<DataExport[]> {
    return (await this.service.api(`${await this.#path()}?limit=100`)).json.account as DataExport[];
  }

  /** How many exports the service was asked for, by the requests that it has had. */
  async asked(): Promise<number> {
    const requests = (await this.service.ask('/_sandbox/requests')).json as unknown as Json[];
    return requests.filter((one) => one.method === 'POST' && /\/data_exports$/.test(String(one.path))).length;
  }

  /** The newest export once it is done. */
  done(): Promise<DataExport> {
    return until(async () => (await this.all()).find((one) => one.status === 'DONE'));
  }

  /** An export of a crawl's pages to `store_b` that somebody asked for, done. */
  async put(crawlId: string, prefix: string, format = 'json'): Promise<DataExport> {
    const { store_b } = this.service.sandbox.ready;
    const answer = await this.service.api(await this.#path(), {
      body: {
        data_export: {
          data_type: 'page',
          resource_id: crawlId,
          output_format: format,
          target: 'store_b',
          target_parameters: {
            store_b_credentials: `secrets://${await this.service.workspace()}/${store_b.credentials_secret}`,
            store_b_bucket: store_b.bucket,
            store_b_region: store_b.region,
            store_b_prefix: prefix,
          },
          include_all_page_group_lists: true,
        },
      },
    });
    if (answer.status !== 200) throw new Error(answer.text);
    const { id } = answer.json.data_export as DataExport;
    return until(async () => (await this.all()).find((one) => one.id === id && one.status === 'DONE'));
  }

  async patch(id: string, changes: Json): Promise<void> {
    const answer = await this.service.ask(`/_sandbox/data_exports/${id}`, { method: 'PATCH', body: changes });
    if (answer.status !== 200) throw new Error(answer.text);
  }
}
