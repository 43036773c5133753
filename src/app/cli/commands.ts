import type { Command } from './command.ts';
import { COMMAND_NAMES } from './command-names.ts';

/** Every command by its name. Modules are loaded on demand: most commands need little of the program. */
const READ: Readonly<Record<(typeof COMMAND_NAMES)[number], () => Promise<Command>>> = {
  init: async () => (await import('./commands/init.ts')).init,
  crawl: async () => (await import('./commands/crawl.ts')).crawl,
  'logs add': async () => (await import('./commands/logs-add.ts')).logsAdd,
  'logs remove': async () => (await import('./commands/logs-remove.ts')).logsRemove,
  'logs bots': async () => (await import('./commands/logs-bots.ts')).logsBots,
  'logs bots update': async () => (await import('./commands/logs-bots-update.ts')).logsBotsUpdate,
  'demand add': async () => (await import('./commands/demand-add.ts')).demandAdd,
  'demand remove': async () => (await import('./commands/demand-remove.ts')).demandRemove,
  'demand sync': async () => (await import('./commands/demand-sync.ts')).demandSync,
  'service start': async () => (await import('./commands/service-start.ts')).serviceStart,
  'sandbox start': async () => (await import('./commands/sandbox-start.ts')).sandboxStart,
  discover: async () => (await import('./commands/discover.ts')).discover,
  run: async () => (await import('./commands/run.ts')).run,
  backfill: async () => (await import('./commands/backfill.ts')).backfill,
  schedule: async () => (await import('./commands/schedule.ts')).schedule,
  worker: async () => (await import('./commands/worker.ts')).worker,
  load: async () => (await import('./commands/load.ts')).load,
  status: async () => (await import('./commands/status.ts')).status,
  drop: async () => (await import('./commands/drop.ts')).drop,
  move: async () => (await import('./commands/move.ts')).move,
  backup: async () => (await import('./commands/backup.ts')).backup,
  mirror: async () => (await import('./commands/mirror.ts')).mirror,
  query: async () => (await import('./commands/query.ts')).query,
  issues: async () => (await import('./commands/issues.ts')).issues,
  pages: async () => (await import('./commands/pages.ts')).pages,
  url: async () => (await import('./commands/url.ts')).url,
  compare: async () => (await import('./commands/compare.ts')).compare,
  rehearse: async () => (await import('./commands/rehearse.ts')).rehearse,
  sitemap: async () => (await import('./commands/sitemap.ts')).sitemap,
  prove: async () => (await import('./commands/prove.ts')).prove,
  console: async () => (await import('./commands/console.ts')).console,
  report: async () => (await import('./commands/report.ts')).report,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  docs: async () => (await import('./commands/docs.ts')).docs,
  transform: async () => (await import('./commands/transform.ts')).transform,
  test: async () => (await import('./commands/test.ts')).test,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  'alerts test': async () => (await import('./commands/alerts-test.ts')).alertsTest,
  completion: async () => (await import('./commands/completion.ts')).completion,
  config: async () => (await import('./commands/config.ts')).config,
};

/** Returns the command at the beginning of the arguments; if several match, the one with the most words. */
export async function commandOf(argv: readonly string[]): Promise<Command | undefined> {
  const names = COMMAND_NAMES.filter((one) => one.split(' ').every((word, index) => argv[index] === word));
  const name = names.sort((a, b) => b.length - a.length)[0];
  return name === undefined ? undefined : await READ[name]();
}

export async function allCommands(): Promise<readonly Command[]> {
  return await Promise.all(COMMAND_NAMES.map((name) => READ[name]()));
}
