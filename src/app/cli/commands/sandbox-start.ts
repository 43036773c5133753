import { resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { checkFolder } from '../../../core/files/make-folder.ts';
import {
  type ReadyDocument,
  type SandboxOptions,
  startSandbox,
} from '../../../service/sandbox/start-sandbox.ts';
import {
  checkOutputFolder,
  filesOfProject,
  type Protected,
} from '../../answers/query/result/check-output-file.ts';
import type { Command, Invocation } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import { readyFileOf, SERVICE_FLAGS, serveUntilStopped, serviceOptions } from '../local/serve-service.ts';

const MOST_OBJECTS = 1000;

export const sandboxStart: Command = {
  name: 'sandbox start',
  summary: 'start the sandbox, a service for testing: generated data, faults, object stores',
  flags: {
    port: SERVICE_FLAGS.port,
    import: {
      multiple: true,
      value: 'DIR',
      help: "a folder with a crawl's <data_type>.jsonl and .fields.json",
    },
    generate: {
      multiple: true,
      value: 'SPEC',
      help: 'synthetic crawls: projects=1,crawls=3,pages=10000,links=200000,columns=120,seed=1',
    },
    faults: { value: 'FILE', help: 'initial faults, in the format of POST /_sandbox/faults' },
    state: { value: 'DIR', help: 'a folder for its data; by default, the data is deleted at the end' },
    'store-a-endpoint': { value: 'URL', help: 'a Google Cloud Storage server instead of the built-in store' },
    'store-b-endpoint': {
      value: 'URL',
      help: 'an S3-compatible store, not the built-in one; keys: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY',
    },
    'export-objects': { value: 'N', help: 'number of objects per data export; default 1' },
    'export-gzip': { help: 'compress CSV and JSON data exports (.gz)' },
    'allow-private': SERVICE_FLAGS['allow-private'],
    'ready-file': SERVICE_FLAGS['ready-file'],
  },
  async run(invocation) {
    const path = (text: string): string => resolve(invocation.workingDirectory, text);
    const faults = invocation.text('faults');
    const state = invocation.text('state');
    // It needs neither a project nor valid settings.
    const own = await ownFiles(invocation);
    const readyFile = await readyFileOf(invocation, own);
    if (state !== undefined) await checkOutputFolder(path(state), { ...own, named: '--state' });
    if (state !== undefined) checkFolder(path(state), '--state', false);
    await using sandbox = await startSandbox({
      ...serviceOptions(invocation),
      importDirs: invocation.texts('import').map(path),
      generate: [...invocation.texts('generate')],
      ...(faults === undefined ? {} : { faultsFile: path(faults) }),
      ...(state === undefined ? {} : { stateDir: path(state) }),
      ...storeOptions(invocation.text('store-a-endpoint'), invocation.text('store-b-endpoint'), process.env),
      exportObjects: wholeNumber(invocation, 'export-objects', 1, MOST_OBJECTS) ?? 1,
      exportGzip: invocation.has('export-gzip'),
    });
    const { client_id, client_secret } = sandbox.ready.oauth;
    const more = `${storeExports(sandbox.ready)}# OAuth2 application: client_id ${client_id}, client_secret ${client_secret}\n`;
    return await serveUntilStopped(invocation, readyFile, sandbox.ready, more);
  },
};

/** Returns the files of the project in the current folder. A sandbox needs neither a project nor valid settings. */
async function ownFiles(invocation: Invocation): Promise<Protected> {
  const { loadSettings } = await import('../../settings/load-settings.ts');
  try {
    return filesOfProject(await loadSettings(invocation.projectDir(), process.env));
  } catch {
    // The files that every project has are protected anyway.
    return {};
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the stores that the flags of `sandbox start` name. Buckets, keys and region come from the same variables that
 * it prints for its own stores.
 *
 * @throws CrawlhouseError `usage` for an invalid address or missing keys
 */
export function storeOptions(
  endpointA: string | undefined,
  endpointB: string | undefined,
  environment: Environment,
): Pick<SandboxOptions, 'storeA' | 'storeB'> {
  const { CRAWLHOUSE_STORE_A_BUCKET: bucketA, CRAWLHOUSE_STORE_B_BUCKET: bucketB } = environment;
  const storeA = endpointA && {
    endpoint: addressOf('--store-a-endpoint', endpointA),
    ...(bucketA ? { bucket: bucketA } : {}),
  };
  const storeB = endpointB && {
    endpoint: addressOf('--store-b-endpoint', endpointB),
    ...(bucketB ? { bucket: bucketB } : {}),
    ...keysOf(environment),
  };
  return { ...(storeA ? { storeA } : {}), ...(storeB ? { storeB } : {}) };
}

function keysOf(environment: Environment): { accessKey: string; secretKey: string; region?: string } {
  const { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey } = environment;
  if (!accessKey || !secretKey) {
    throw new CrawlhouseError('usage', '--store-b-endpoint: the credentials of the store are missing', {
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    });
  }
  const region = environment.CRAWLHOUSE_STORE_B_REGION || environment.AWS_REGION;
  return { accessKey, secretKey, ...(region ? { region } : {}) };
}

function addressOf(flag: string, text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new CrawlhouseError('usage', `${flag}: ${text} is not an address`, {
    hint: 'such as http://127.0.0.1:9000',
  });
}

/** Returns lines that make a shell use a sandbox's stores: our settings, and the variables of Amazon's tools. */
export function storeExports({ store_a, store_b }: ReadyDocument): string {
  const variables = {
    CRAWLHOUSE_STORE_A_BUCKET: store_a.bucket,
    CRAWLHOUSE_STORE_A_ENDPOINT: store_a.endpoint,
    CRAWLHOUSE_STORE_B_BUCKET: store_b.bucket,
    CRAWLHOUSE_STORE_B_REGION: store_b.region,
    CRAWLHOUSE_STORE_B_ENDPOINT: store_b.endpoint,
    CRAWLHOUSE_STORE_B_CREDENTIALS_SECRET: store_b.credentials_secret,
    AWS_ACCESS_KEY_ID: store_b.access_key,
    AWS_SECRET_ACCESS_KEY: store_b.secret_key,
  };
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${value}\n`)
    .join('');
}
