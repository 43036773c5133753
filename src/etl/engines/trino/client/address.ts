import { resolve } from 'node:path';
import { z } from 'zod';
import { address, Endpoint, Given } from '../../../../core/text/setting-types.ts';
import type { EngineAddress } from '../../../project/settings/settings.ts';

/** Credentials over a plain connection to these hosts stay on this machine. */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const USER = 'crawlhouse';
const CLIENT = ['client_id', 'client_secret', 'token_url'] as const;

/** The setting `warehouse` for one in Trino (docs/trino.md). */
export const TrinoWarehouse = z
  .strictObject({
    engine: z.literal('trino', 'there is no such engine').describe('The rows are in Trino (docs/trino.md).'),
    url: address('an address is expected, such as https://trino.example').describe(
      'Address of the coordinator.',
    ),
    catalog: z
      .string('the name of an Iceberg catalog of Trino is expected')
      .regex(/^[a-z][a-z0-9_-]*$/, 'the name of an Iceberg catalog of Trino is expected, in lower case')
      .describe('The Iceberg catalog of Trino.'),
    schema_prefix: z
      .string()
      .regex(/^([a-z][a-z0-9_]*)?$/, 'lower-case letters, digits and _ are expected, such as shop_')
      .default('')
      .describe('A prefix for the names of the schemas: raw, mart, ops, store, work.'),
    location: z
      .string('s3://BUCKET/FOLDER is expected')
      .regex(/^s3:\/\/[a-z0-9][a-z0-9.-]*\/[\w.=-]+(\/[\w.=-]+)*\/?$/, 's3://BUCKET/FOLDER is expected')
      .describe('The location of the rows of this project only: s3://BUCKET/FOLDER.'),
    region: Given.describe('The region of the bucket.'),
    endpoint: Endpoint,
    user: Given.default(USER).describe('The user of Trino.'),
    password: Given.optional().describe('The password of the user.'),
    token: Given.optional().describe('Instead of a password: a JSON Web Token.'),
    client_id: Given.optional().describe(
      'Instead of a password: OAuth2 with client_secret, token_url, scope.',
    ),
    client_secret: Given.optional().describe('The secret of the client.'),
    token_url: address('an address is expected').optional().describe('The address of the token endpoint.'),
    scope: Given.optional().describe('The scope of the requested token.'),
    ca: Given.optional().describe('The certificate of a private authority (a PEM file).'),
  })
  .superRefine((setting, context) => {
    const fault = (key: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [key], message });
    const given = [setting.password, setting.token, setting.client_id].filter((one) => one !== undefined);
    if (given.length > 1) fault('user', 'set only one of password, token and client_id');
    const missing = CLIENT.find((key) => setting[key] === undefined);
    const isClient = CLIENT.some((key) => setting[key] !== undefined);
    if (isClient && missing !== undefined) fault(missing, `OAuth2 needs ${CLIENT.join(', ')}`);
    if (given.length > 0)
      for (const key of ['url', 'token_url'] as const)
        if (!isSafe(setting[key]))
          fault(key, 'https is expected, because crawlhouse sends credentials to this address');
  });

/** The address of a warehouse in Trino, and its credentials. */
export interface TrinoAddress extends EngineAddress {
  readonly engine: 'trino';
  readonly url: string;
  readonly catalog: string;
  /** The place of the rows, together with `folder`. */
  readonly bucket: string;
  readonly folder: string;
  readonly region: string;
  readonly endpoint: string | undefined;
  readonly user: string;
  readonly credentials: TrinoCredentials | undefined;
  /** A file with the certificate of a private authority. */
  readonly authority: string | undefined;
}

type TrinoCredentials =
  | { readonly password: string }
  | { readonly token: string }
  | {
      readonly clientId: string;
      readonly clientSecret: string;
      readonly tokenUrl: string;
      readonly scope: string | undefined;
    };

/** @param projectDir the start of a relative path */
export function trinoAddress(setting: z.output<typeof TrinoWarehouse>, projectDir: string): TrinoAddress {
  const { url, catalog, schema_prefix: schemaPrefix, region, endpoint, user, ca } = setting;
  const [, bucket = '', folder = ''] = /^s3:\/\/([^/]+)\/(.+?)\/?$/.exec(setting.location) ?? [];
  return {
    engine: 'trino',
    url,
    catalog,
    schemaPrefix,
    bucket,
    folder,
    region,
    endpoint,
    user,
    credentials: credentialsOf(setting),
    authority: ca === undefined ? undefined : resolve(projectDir, ca),
  };
}

/** Returns the address of a warehouse that the settings place in Trino. */
export function asTrino(address: EngineAddress): TrinoAddress {
  return address as TrinoAddress;
}

function credentialsOf(setting: z.output<typeof TrinoWarehouse>): TrinoCredentials | undefined {
  const { password, token, client_id, client_secret, token_url, scope } = setting;
  if (password !== undefined) return { password };
  if (token !== undefined) return { token };
  if (client_id === undefined || client_secret === undefined || token_url === undefined) return undefined;
  return { clientId: client_id, clientSecret: client_secret, tokenUrl: token_url, scope };
}

function isSafe(text: string | undefined): boolean {
  const url = text === undefined ? null : URL.parse(text);
  return url === null || url.protocol === 'https:' || LOOPBACK.includes(url.hostname);
}
