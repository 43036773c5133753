import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { orMissing, readText } from '../../../core/files/read-text.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { ScheduleState } from './plan-tick.ts';

const StateFile = z.record(
  z.string(),
  z.object({
    cron: z.string(),
    time_zone: z.string(),
    done_until: z.iso.datetime(),
    last: z
      .object({ ended_at: z.iso.datetime(), exit_code: z.number(), error: z.string().nullable() })
      .optional(),
  }),
);

/** Stores the state of the schedules: one text, written atomically. */
export interface StateKeeper {
  readState(): Promise<string | null>;
  writeState(text: string): Promise<void>;
}

export function stateFile(stateDir: string): StateKeeper {
  const path = join(stateDir, 'schedules.json');
  return {
    readState: () => orMissing(readText(path)),
    async writeState(text) {
      makeFolder(stateDir);
      await writeFileAtomic(path, text);
    },
  };
}

/** Reads the stored state; empty if it is lost or damaged, which is logged. */
export async function readScheduleState(keeper: StateKeeper, logger: Logger): Promise<ScheduleState> {
  const text = await keeper.readState();
  try {
    return StateFile.parse(JSON.parse(text ?? '{}'));
  } catch (error) {
    logger.warn('the saved state of the schedules is damaged; they start again', { error: String(error) });
    return {};
  }
}

export async function writeScheduleState(keeper: StateKeeper, state: ScheduleState): Promise<void> {
  await keeper.writeState(`${JSON.stringify(state, null, 2)}\n`);
}
