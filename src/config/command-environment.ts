/** The environment that a command of the user's own gets: ours without what holds our settings and secrets. */
export function commandEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CRAWLHOUSE_')));
}
