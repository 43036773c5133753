import { cloudVariables } from './cloud-variables.ts';
import { readDotEnv } from './dot-env.ts';

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
