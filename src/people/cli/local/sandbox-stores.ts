import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { ReadyDocument, SandboxOptions } from '../../../service/local/sandbox/start-sandbox.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The stores that `sandbox start` is told to use. Buckets, keys and region come from the variables that it would itself
 * print for its own stores.
 *
 * @throws CrawlhouseError `usage` for an address that is none, or keys that are missing
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
    throw new CrawlhouseError('usage', '--store-b-endpoint: there are no credentials for it', {
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

/** The lines that make a shell use a sandbox's stores: our settings, and the variables that Amazon's tools read. */
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
