import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../core/atomic-file.ts';
import type { ScheduleState } from './plan-tick.ts';

const StateFile = z.record(
  z.string(),
  z.object({ cron: z.string(), time_zone: z.string(), done_until: z.iso.datetime() }),
);

/** The contents of `schedules.json` in the state directory; empty if it is lost or broken. */
export async function readScheduleState(stateDir: string): Promise<ScheduleState> {
  try {
    return StateFile.parse(JSON.parse(await readFile(join(stateDir, 'schedules.json'), 'utf8')));
  } catch {
    return {};
  }
}

export async function writeScheduleState(stateDir: string, state: ScheduleState): Promise<void> {
  await mkdir(stateDir, { recursive: true });
  await writeFileAtomic(join(stateDir, 'schedules.json'), `${JSON.stringify(state, null, 2)}\n`);
}
