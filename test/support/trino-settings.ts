import type { TrinoAddress } from './trino.ts';

/** What a project's crawlhouse.yaml says of a warehouse in a Trino of the tests. */
export function trinoSettings({ url, catalog, bucket, s3 }: TrinoAddress, prefix: string): string {
  const warehouse = {
    engine: 'trino',
    url,
    catalog,
    schema_prefix: prefix,
    location: `s3://${bucket}/rows/${prefix}`,
    region: s3.region,
    endpoint: s3.endpoint,
    user: 'test',
  };
  return `shipped_models: none\nwarehouse: ${JSON.stringify(warehouse)}\n`;
}

/** The credentials of its bucket. */
export function bucketCredentials({ s3 }: TrinoAddress): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey };
}
