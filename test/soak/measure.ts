import { join } from 'node:path';
import { bytesOf } from '../../src/core/files/disk-use.ts';
import type { Quantity, Series } from './judge.ts';
import { type ProcessSample, sampleFolders, sampleProcess } from './sample.ts';
import type { Scene } from './scene.ts';

interface Moment {
  readonly at: number;
  readonly processes: Readonly<
    Record<string, { readonly startedAt: number; readonly sample: ProcessSample | null }>
  >;
  readonly state: number;
  readonly warehouse: number;
  readonly temporaryFiles: number;
  readonly temporaryDisk: number;
}

const OF_PROCESS: readonly (keyof ProcessSample & Quantity)[] = ['memory', 'handles', 'threads', 'children'];
/** It keeps a log of all requests for tests, so its memory says nothing about the product. */
const NOT_JUDGED = ['sandbox'];

/** What was measured, sample by sample. */
export class Measured {
  readonly moments: Moment[] = [];
  readonly #began = Date.now();

  async take(scene: Scene): Promise<void> {
    const at = Date.now();
    const processes = await Promise.all(
      scene.processes().map(async (one) => {
        const sample = one.isAlive ? await sampleProcess(one.pid) : null;
        return [one.name, { startedAt: one.startedAt, sample }] as const;
      }),
    );
    const { disk, temporaryFiles, temporaryDisk } = await sampleFolders(scene.folders);
    const warehouse = await bytesOf(join(scene.project, 'warehouse.duckdb'));
    const state = disk - warehouse;
    this.moments.push({
      at,
      processes: Object.fromEntries(processes),
      state,
      warehouse,
      temporaryFiles,
      temporaryDisk,
    });
  }

  /** What is judged: each quantity of each process since its last start, and temporary files. */
  get series(): readonly Series[] {
    const last = this.moments.at(-1);
    const names = Object.keys(last?.processes ?? {}).filter((name) => !NOT_JUDGED.includes(name));
    const ofProcesses = names.flatMap((name) =>
      OF_PROCESS.map((quantity): Series => {
        const values = this.moments.map(({ processes }) => {
          const found = processes[name];
          return found?.startedAt === last?.processes[name]?.startedAt
            ? (found?.sample?.[quantity] ?? null)
            : null;
        });
        return { name, quantity, values };
      }),
    );
    return [
      ...ofProcesses,
      { name: 'folders', quantity: 'temporary files', values: this.moments.map((one) => one.temporaryFiles) },
      { name: 'folders', quantity: 'temporary disk', values: this.moments.map((one) => one.temporaryDisk) },
    ];
  }

  /** Minutes after the start. */
  minutes(moment: Moment): number {
    return (moment.at - this.#began) / 60_000;
  }
}
