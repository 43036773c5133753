import type { Command } from './command.ts';
import { backfill } from './commands/backfill.ts';
import { discover } from './commands/discover.ts';
import { docs } from './commands/docs.ts';
import { doctor } from './commands/doctor.ts';
import { drop } from './commands/drop.ts';
import { init } from './commands/init.ts';
import { load } from './commands/load.ts';
import { query } from './commands/query.ts';
import { run } from './commands/run.ts';
import { sandboxStart } from './commands/sandbox-start.ts';
import { schedule } from './commands/schedule.ts';
import { status } from './commands/status.ts';
import { test } from './commands/test.ts';
import { transform } from './commands/transform.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  init,
  sandboxStart,
  discover,
  run,
  backfill,
  schedule,
  load,
  status,
  drop,
  query,
  docs,
  transform,
  test,
  doctor,
];
