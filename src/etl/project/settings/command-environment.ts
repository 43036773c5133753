import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readText } from '../../../core/files/read-text.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that the clients of Amazon, Google and PostgreSQL read from the environment of the process. */
const OF_CLOUDS = /^((AWS|GOOGLE|GCLOUD|CLOUDSDK)_|PGPASSWORD$)/;

/** Variables of credentials. All come from one source, because otherwise keys of two accounts could be mixed. */
const IDENTITY: readonly string[] = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
];

const PATHS: readonly string[] = [
  'AWS_CA_BUNDLE',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'CLOUDSDK_CONFIG',
  'GOOGLE_APPLICATION_CREDENTIALS',
];

/** Variables of this process that come from a `.env`. */
const fromDotEnv = new Set<string>();

/**
 * Copies the cloud variables from `.env` to the environment of this process, where the store clients look for them.
 */
export async function setCloudVariables(projectDir: string): Promise<void> {
  const variables = cloudVariables(await readDotEnv(projectDir), process.env, projectDir);
  for (const [name, value] of Object.entries(variables)) {
    process.env[name] = value;
    fromDotEnv.add(name);
  }
}

/** Returns the environment for a user's own command: that of this process, without our settings and secrets. */
export function commandEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('CRAWLHOUSE_') && !fromDotEnv.has(name)),
  );
}

/**
 * Returns the cloud variables that `.env` sets and the environment does not; an empty one counts as unset. Paths are
 * relative to the project folder.
 */
export function cloudVariables(
  dotEnv: Variables,
  environment: Variables,
  projectDir: string,
): Record<string, string> {
  const hasIdentity = IDENTITY.some((name) => environment[name]);
  return Object.fromEntries(
    Object.entries(dotEnv).flatMap(([name, value]) => {
      if (!OF_CLOUDS.test(name) || !value || environment[name]) return [];
      if (hasIdentity && IDENTITY.includes(name)) return [];
      return [[name, PATHS.includes(name) && !isAbsolute(value) ? resolve(projectDir, value) : value]];
    }),
  );
}

/** Returns the variables in the `.env` of a project folder; none if there is no such file. */
export async function readDotEnv(projectDir: string): Promise<Record<string, string | undefined>> {
  const path = join(projectDir, '.env');
  return existsSync(path) ? parseEnv(await readText(path)) : {};
}

/**
 * Returns a line of `.env`. A value with special characters is enclosed in a quotation mark that it does not contain,
 * because an unquoted `#` would start a comment.
 *
 * @throws CrawlhouseError `usage` for a value with all kinds of quotation marks
 */
export function envLine(name: string, value: string): string {
  const mark = ["'", '"', '`'].find((one) => !value.includes(one));
  if (mark === undefined)
    throw new CrawlhouseError(
      'usage',
      `${name} has all three kinds of quotation marks, which .env cannot quote`,
    );
  return `${name}=${/^[\w:/.@+-]+$/.test(value) ? value : `${mark}${value}${mark}`}\n`;
}
