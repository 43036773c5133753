import { silentLogger } from '../../core/logs/logger.ts';
import { type Resources, resourceId, type StoredResource } from '../resources/resources.ts';
import { ensureWorkspace, USER_ID, WORKSPACE_ID } from '../resources/seed.ts';
import {
  type LocalServiceOptions,
  type ServiceHandle,
  type ServiceParts,
  startLocalService,
} from '../start-local-service.ts';
import { ExportJobs } from './exports/export-jobs.ts';
import { readFaults } from './faults/fault.ts';
import { FaultBox } from './faults/fault-box.ts';
import { generate, isGenerated } from './generate/generate.ts';
import { GeneratedSource } from './generate/generated-source.ts';
import { parseSpec } from './generate/parse-spec.ts';
import { sandboxRoutes } from './http/sandbox-routes.ts';
import { planFolder } from './import/folder-plan.ts';
import { importFolder, isImported } from './import/import-folder.ts';
import { type ApplicationCredentials, ensureApplication } from './oauth/application.ts';
import { type ExternalStoreA, type ExternalStoreB, openStores, type Stores } from './stores/open-stores.ts';

export interface SandboxOptions extends LocalServiceOptions {
  /** Folders to import, each a crawl (interface.md, "The sandbox"). */
  readonly importDirs?: readonly string[];
  /** Specs of synthetic data, such as `projects=1,crawls=3,pages=10000`. */
  readonly generate?: readonly string[];
  /** A JSON file with the faults in force from the start. */
  readonly faultsFile?: string;
  /** External stores that replace the built-in object stores. */
  readonly storeA?: ExternalStoreA;
  readonly storeB?: ExternalStoreB;
  /** Objects a data export is written to; 1 by default. */
  readonly exportObjects?: number;
  /** Whether csv and json of data exports are compressed (`.gz`). */
  readonly exportGzip?: boolean;
}

export interface ReadyDocument {
  readonly base_url: string;
  readonly access_token: string;
  readonly pid: number;
  readonly store_a: Stores['store_a'];
  readonly store_b: Stores['store_b'] & { readonly credentials_secret: string };
  readonly oauth: ApplicationCredentials;
}

export interface Sandbox extends ServiceHandle {
  readonly ready: ReadyDocument;
}

/**
 * Starts the local service as a sandbox, with imported and generated data, object stores, sign-in and faults. It
 * listens when this resolves.
 *
 * @throws CrawlhouseError `usage` or `bad_project` if the options are wrong
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  options.signal?.throwIfAborted();
  const specs = (options.generate ?? []).map(parseSpec);
  for (const dir of options.importDirs ?? []) planFolder(dir);
  const faults = new FaultBox(options.logger ?? silentLogger);
  if (options.faultsFile !== undefined) faults.add(await readFaults(options.faultsFile));

  let ready = null as Pick<ReadyDocument, 'store_a' | 'store_b' | 'oauth'> | null;
  const open = async (parts: ServiceParts) => {
    const { resources, clock, closers } = parts;
    const setup = { ...options, ...parts, faults };
    const stores = await openStores(setup, closers);
    const oauth = ensureApplication(resources);
    ready = { ...stores, store_b: { ...stores.store_b, credentials_secret: STORE_B_SECRET }, oauth };
    const endpoints = { store_a: stores.store_a.endpoint, store_b: stores.store_b.endpoint };
    const settings = { objects: options.exportObjects ?? 1, gzip: options.exportGzip ?? false };
    const dataExports = closers.use(new ExportJobs({ ...parts, endpoints, settings }));
    const generated = new GeneratedSource(parts.rows, resources);
    return {
      routes: sandboxRoutes({
        faults,
        dataExports,
        storeABucket: stores.store_a.bucket,
        importFolder: (dir) => importFolder(parts, dir),
      }),
      sourceOf: ({ _site }: StoredResource) => (_site === undefined ? undefined : generated),
      async fill() {
        const workspaces = Math.max(1, ...specs.map((spec) => spec.workspaces ?? 1));
        for (let number = 1; number < workspaces; number++)
          ensureWorkspace(resources, `Sandbox ${number + 1}`, number);
        for (const { id } of resources.list('workspaces')) putStoreSecret(resources, id, stores, clock.now());
        for (const dir of options.importDirs ?? [])
          if (!isImported(resources, dir)) await importFolder(parts, dir);
        for (const spec of specs) if (!isGenerated(resources, spec)) await generate(parts, spec);
      },
    };
  };
  const service = await startLocalService(options, { command: 'sandbox start', workspace: 'Sandbox', open });
  if (ready === null) throw new Error('the sandbox was not opened');
  const { baseUrl: base_url, accessToken: access_token } = service;
  return { ...service, ready: { base_url, access_token, pid: process.pid, ...ready } };
}

/** The secret of each workspace with the keys of the sandbox's own `store_b`. */
const STORE_B_SECRET = 'sandbox-store-b';

function putStoreSecret(resources: Resources, workspace: string, { store_b }: Stores, now: number): void {
  const known = resources.list('secrets', workspace).find(({ name }) => name === STORE_B_SECRET);
  const parts = workspace === WORKSPACE_ID ? [] : [workspace];
  const id = known?.id ?? resourceId('secret', STORE_B_SECRET, ...parts);
  const keys = JSON.stringify({ access_key: store_b.access_key, secret_key: store_b.secret_key });
  resources.put('secrets', workspace, {
    name: STORE_B_SECRET,
    type: 'store_b_credentials',
    creation_date: now,
    owner_id: USER_ID,
    ...known,
    id,
    _value: Buffer.from(keys).toString('base64'),
  });
}
