import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readText } from '../../core/files/read-text.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that the clients of Amazon, Google and PostgreSQL read from the environment of the process. */
const OF_CLOUDS = /^((AWS|GOOGLE|GCLOUD|CLOUDSDK)_|PGPASSWORD$)/;

/** Whose keys these are: taken together from one source, or keys of two accounts would be mixed. */
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
 * Puts the variables of the clouds from `.env` into the environment of this process: the clients of the stores read
 * them there.
 */
export async function setCloudVariables(projectDir: string): Promise<void> {
  const variables = cloudVariables(await readDotEnv(projectDir), process.env, projectDir);
  for (const [name, value] of Object.entries(variables)) {
    process.env[name] = value;
    fromDotEnv.add(name);
  }
}

/** The environment that a command of the user's own gets: ours without what holds our settings and secrets. */
export function commandEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('CRAWLHOUSE_') && !fromDotEnv.has(name)),
  );
}

/**
 * The variables of the clouds that `.env` gives and the environment does not; an empty one counts as not set. Paths are
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

/** The variables in the `.env` of a project folder; none where there is no such file. */
export async function readDotEnv(projectDir: string): Promise<Record<string, string | undefined>> {
  const path = join(projectDir, '.env');
  return existsSync(path) ? parseEnv(await readText(path)) : {};
}
