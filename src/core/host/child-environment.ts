/** Returns the environment of a program that this one starts: its own, with some variables set. */
export function childEnvironment(set: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...set };
}
